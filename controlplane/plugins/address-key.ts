import { isIP } from 'node:net';
import { parseForwardedAddress } from '../../shared/visitor/address-text.js';

/** Of IPv6, the part that is given out to one customer at least (RFC 6177): who has it has all addresses in it. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * Who an address stands for: one IPv4 address, however it is written, or an IPv6 network of 64 bits. Undefined for
 * what is no address.
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
 * Names who makes a request, as far as its address says. What a trusted proxy has forwarded may be no address; then
 * it is the proxy that is named.
 */
export function callerKey(address: string, peer: string | undefined): string {
  return `address:${addressKey(address) ?? addressKey(peer ?? '') ?? 'unknown'}`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
