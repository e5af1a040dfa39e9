/**
 * Returns a location with the id of a visit as the last parameter of its query, before its fragment. All other bytes stay.
 *
 * @param name needs no escapes in a query
 */
export function withClickId(location: string, name: string, clickId: string): string {
  const hash = location.indexOf('#');
  const beforeFragment = hash === -1 ? location : location.slice(0, hash);
  const fragment = hash === -1 ? '' : location.slice(hash);
  return `${beforeFragment}${separatorAfter(beforeFragment)}${name}=${clickId}${fragment}`;
}

function separatorAfter(location: string): string {
  if (!location.includes('?')) return '?';
  return location.endsWith('?') || location.endsWith('&') ? '' : '&';
}
