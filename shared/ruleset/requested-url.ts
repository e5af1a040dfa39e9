import { readUrl } from '../process/read-url.js';
import { escapeForwarded } from './header-bytes.js';
import { normalizeHost } from './host-name.js';

/**
 * Whether following `location` would ask for what was just asked for. The scheme does not count, TLS may end in front
 * of this service. Allocates: meant only for redirects that lead to their own host.
 */
export function isRequestedUrl(
  location: string,
  hostHeader: string,
  path: string,
  query: string | undefined,
): boolean {
  const target = readUrl(location);
  const requested = requestedUrl(hostHeader, path, query);
  return target !== undefined && requested !== undefined && requestKey(target) === requestKey(requested);
}

/** The URL that a request asks for, as clients resolve it; undefined for a request that has none. */
export function requestedUrl(hostHeader: string, path: string, query: string | undefined): URL | undefined {
  return readUrl(`http://${hostHeader}${escapeForwarded(path)}?${escapeForwarded(query ?? '')}`);
}

/**
 * Equal for URLs that ask for the same. They are compared as clients resolve them (dot segments, escapes of raw bytes, an
 * empty path is `/`, an empty query is none), because that is what comes back as the next request. Scheme, default
 * ports and fragment do not count.
 */
export function requestKey(url: URL): string {
  return `${normalizeHost(url.hostname)}:${significantPort(url)}${url.pathname}${url.search}`;
}

/** The port, or empty for the default one of either scheme. */
export function significantPort(url: URL): string {
  return url.port === '80' || url.port === '443' ? '' : url.port;
}
