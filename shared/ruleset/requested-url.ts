import { readUrl } from '../process/read-url.js';
import { escapeForwarded } from './header-bytes.js';
import { normalizeHost } from './host-name.js';

/**
 * Returns whether `location` is the requested URL. The scheme is ignored, because a proxy may terminate TLS.
 * Allocates: used only for redirects to their own host.
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

/** Returns the requested URL as clients resolve it; undefined for a request without one. */
export function requestedUrl(hostHeader: string, path: string, query: string | undefined): URL | undefined {
  return readUrl(`http://${hostHeader}${escapeForwarded(path)}?${escapeForwarded(query ?? '')}`);
}

/**
 * Returns equal texts for URLs that cause the same request. Resolves a URL like clients (dot segments, escapes of raw
 * bytes, an empty path is `/`, an empty query is none), because clients send the resolved URL in the next request.
 * Scheme, default ports and fragment are ignored.
 */
export function requestKey(url: URL): string {
  return `${normalizeHost(url.hostname)}:${significantPort(url)}${url.pathname}${url.search}`;
}

/** Returns the port; empty for the default port of either scheme. */
export function significantPort(url: URL): string {
  return url.port === '80' || url.port === '443' ? '' : url.port;
}
