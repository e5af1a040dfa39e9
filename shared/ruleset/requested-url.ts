import { escapeForwarded } from './header-bytes.js';
import { normalizeHost } from './host-name.js';

/**
 * Whether following `location` would ask for what was just asked for. URLs are compared as clients resolve
 * them (dot segments, escapes of raw bytes, an empty path is `/`, an empty query is none), because that is what
 * comes back as the next request. The scheme does not count, TLS may end in front of this service, and neither
 * do the default ports and the fragment. Allocates: meant only for redirects that lead to their own host.
 */
export function isRequestedUrl(
  location: string,
  hostHeader: string,
  path: string,
  query: string | undefined,
): boolean {
  const requestedText = `http://${hostHeader}${escapeForwarded(path)}?${escapeForwarded(query ?? '')}`;
  if (!URL.canParse(location) || !URL.canParse(requestedText)) return false;
  const target = new URL(location);
  const requested = new URL(requestedText);
  return (
    target.pathname === requested.pathname &&
    target.search === requested.search &&
    normalizeHost(target.hostname) === normalizeHost(requested.hostname) &&
    significantPort(target) === significantPort(requested)
  );
}

/** The port, or empty for the default one of either scheme. */
function significantPort(url: URL): string {
  return url.port === '80' || url.port === '443' ? '' : url.port;
}
