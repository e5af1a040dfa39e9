import { isIPv4, isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/;

/**
 * The network an address lies in, as much of it as is stored: /24 of IPv4 (`192.0.2.0`), /48 of IPv6
 * (`2001:db8:1::`). An IPv4-mapped IPv6 address counts as IPv4, a zone (`%eth0`) does not count. Empty for what
 * is no address.
 */
export function addressPrefix(address: string): string {
  if (isIPv4(address)) return prefixOfIpv4(address);
  if (!isIPv6(address)) return '';
  const [withoutZone] = address.split('%', 1);
  // The URL parser brings every spelling to the one of RFC 5952.
  const canonical = new URL(`http://[${withoutZone}]`).hostname;
  const mapped = MAPPED_IPV4.exec(canonical);
  if (mapped !== null) return prefixOfMapped(mapped[1] ?? '', mapped[2] ?? '');
  const [first = '0', second = '0', third = '0'] = groupsOf(canonical.slice(1, -1));
  return new URL(`http://[${first}:${second}:${third}::]`).hostname.slice(1, -1);
}

function prefixOfIpv4(address: string): string {
  return `${address.slice(0, address.lastIndexOf('.'))}.0`;
}

function prefixOfMapped(high: string, low: string): string {
  const upper = Number.parseInt(high, 16);
  const third = Number.parseInt(low, 16) >> 8;
  return `${upper >> 8}.${upper & 0xff}.${third}.0`;
}

/** The eight groups of a canonical IPv6 address, `::` written out. */
function groupsOf(canonical: string): string[] {
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}
