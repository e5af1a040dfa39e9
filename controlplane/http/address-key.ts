import { isIP } from 'node:net';
import { parseForwardedAddress } from '../../shared/visitor/address-text.js';

/** Groups of an IPv6 /64. One customer gets at least a /64 (RFC 6177) and can use every address in it. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * Returns the IPv4 address or the IPv6 /64 of `text` in one spelling; undefined for anything else.
 *
 * @param text as a socket or an entry of `X-Forwarded-For` has it
 */
export function addressKey(text: string): string | undefined {
  const address = parseForwardedAddress(text);
  if (address === undefined || isIP(address) === 4) return address;
  const [head = '', tail] = address.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: GROUPS - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/**
 * Returns the key that a caller without a user is counted under.
 *
 * @param address of the caller; if a trusted proxy has named no valid one, `peer`, the proxy's, is used instead
 */
export function callerKey(address: string, peer: string | undefined): string {
  return `address:${addressKey(address) ?? addressKey(peer ?? '') ?? 'unknown'}`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
