import { isIPv4, isIPv6 } from 'node:net';

/** Groups of an IPv6 address that are kept. */
const NETWORK_GROUPS = 3;
/** Before the address that an IPv4-mapped one stands for (RFC 4291, section 2.5.5.2). */
const MAPPED = ['0', '0', '0', '0', '0', 'ffff'];
/** Spelled as the groups are kept, which takes no parser to find out: nearly all addresses are canonical. */
const PLAIN = /^[0-9a-f:]+$/;
const PADDED = /(?:^|:)0[0-9a-f]/;

/**
 * The network an address lies in, as much of it as is stored: /24 of IPv4 (`192.0.2.0`), /48 of IPv6
 * (`2001:db8:1::`). An IPv4-mapped IPv6 address counts as IPv4, a zone (`%eth0`) does not count. Empty for what
 * is no address.
 */
export function addressPrefix(address: string): string {
  if (isIPv4(address)) return prefixOfIpv4(address);
  if (!isIPv6(address)) return '';
  const plain = PLAIN.test(address) && !PADDED.test(address) ? address : canonicalIpv6(address);
  const groups = groupsOf(plain);
  if (MAPPED.every((group, place) => groups[place] === group)) return prefixOfMapped(groups);
  const network = groups.slice(0, NETWORK_GROUPS);
  // With those cut off, the zeros at the end are the longest run, which is written as `::` (RFC 5952, section 4.2).
  while (network.at(-1) === '0') network.pop();
  return `${network.join(':')}::`;
}

/** The URL parser brings every spelling to the one of RFC 5952. */
function canonicalIpv6(address: string): string {
  const [withoutZone] = address.split('%', 1);
  return new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
}

function prefixOfIpv4(address: string): string {
  return `${address.slice(0, address.lastIndexOf('.'))}.0`;
}

function prefixOfMapped(groups: readonly string[]): string {
  const [upper = 0, lower = 0] = groups.slice(MAPPED.length).map((group) => Number.parseInt(group, 16));
  return `${upper >> 8}.${upper & 0xff}.${lower >> 8}.0`;
}

/** The eight groups of an IPv6 address, `::` written out. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}
