import { isIPv4, isIPv6 } from 'node:net';

/** Groups of an IPv6 address that are stored: /48. */
const STORED_GROUPS = 3;
/** Groups of an IPv6 address that one visitor keeps: /64. */
const VISITOR_GROUPS = 4;
/** The first six groups of an IPv4-mapped address (RFC 4291, section 2.5.5.2). */
const MAPPED = ['0', '0', '0', '0', '0', 'ffff'];
/** Matches the canonical spelling. Nearly all addresses have it and need no parser. */
const PLAIN = /^[0-9a-f:]+$/;
const PADDED = /(?:^|:)0[0-9a-f]/;

/**
 * Returns the part of an address that is stored: /24 of IPv4 (`192.0.2.0`), /48 of IPv6 (`2001:db8:1::`). An
 * IPv4-mapped IPv6 address counts as IPv4. A zone (`%eth0`) is ignored. Empty for text that is not an address.
 */
export function addressPrefix(address: string): string {
  if (isIPv4(address)) return prefixOfIpv4(address);
  if (!isIPv6(address)) return '';
  const groups = canonicalGroups(address);
  return isMapped(groups) ? prefixOfIpv4(mappedIpv4(groups)) : networkOf(groups, STORED_GROUPS);
}

/**
 * Returns the part of an address that identifies a visitor: all of IPv4, /64 of IPv6 (`2001:db8:1:2::`). A device
 * changes the lower half of its IPv6 address, often daily (RFC 8981, privacy extensions). The network assigns the /64.
 * An IPv4-mapped IPv6 address counts as IPv4. Text that is not an IPv6 address is returned unchanged.
 */
export function visitorNetwork(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const groups = canonicalGroups(address);
  return isMapped(groups) ? mappedIpv4(groups) : networkOf(groups, VISITOR_GROUPS);
}

function canonicalGroups(address: string): string[] {
  return groupsOf(PLAIN.test(address) && !PADDED.test(address) ? address : canonicalIpv6(address));
}

/** Returns the canonical form (RFC 5952) of an IPv6 address. The URL parser converts every spelling. */
function canonicalIpv6(address: string): string {
  const [withoutZone] = address.split('%', 1);
  return new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
}

/** Returns the first `count` groups and `::`, without zero groups before it. */
function networkOf(groups: readonly string[], count: number): string {
  const network = groups.slice(0, count);
  // The rest of the address is zero, so zeros at the end belong to the longest run, written `::` (RFC 5952, section 4.2).
  while (network.at(-1) === '0') network.pop();
  return `${network.join(':')}::`;
}

function prefixOfIpv4(address: string): string {
  return `${address.slice(0, address.lastIndexOf('.'))}.0`;
}

function isMapped(groups: readonly string[]): boolean {
  return MAPPED.every((group, index) => groups[index] === group);
}

function mappedIpv4(groups: readonly string[]): string {
  const [upper = 0, lower = 0] = groups.slice(MAPPED.length).map((group) => Number.parseInt(group, 16));
  return `${upper >> 8}.${upper & 0xff}.${lower >> 8}.${lower & 0xff}`;
}

/** Returns the eight groups of an IPv6 address, with `::` expanded. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}
