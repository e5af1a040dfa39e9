import { BlockList, isIP } from 'node:net';
import { parseAddress } from '../../../shared/visitor/address-text.js';

type Subnet = readonly [network: string, prefix: number];

/**
 * IPv4 addresses that are not public servers: the IANA registry of special addresses (RFC 6890), and special addresses
 * of clouds.
 */
const REFUSED_IPV4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT (RFC 6598), with the metadata server of one cloud
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // a public address where Azure answers every machine
  ['169.254.0.0', 16], // link-local, with the metadata of most clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
];

/** The public part of IPv6: global unicast (RFC 4291), with exceptions. */
const GLOBAL_IPV6: readonly Subnet[] = [['2000::', 3]];
const REFUSED_IPV6: readonly Subnet[] = [
  ['2001::', 23], // IETF protocols, with Teredo, which carries IPv4 addresses
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4, which carries IPv4 addresses
  ['3fff::', 20],
];

/** NAT64 (RFC 6052): the last 32 bits are the IPv4 address that is reached. */
const NAT64 = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})?$/;

const refused = blockListOf(REFUSED_IPV4, REFUSED_IPV6);
const globalIpv6 = blockListOf([], GLOBAL_IPV6);

/** Returns whether an address can belong to a public server. All others may be in the network of this process. */
export function isPublicAddress(text: string): boolean {
  // The canonical form of IPv4-mapped IPv6 is an IPv4 address.
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (isIP(address) === 4) return !refused.check(address, 'ipv4');
  const embedded = NAT64.exec(address);
  if (embedded !== null) return !refused.check(ipv4Of(embedded[1], embedded[2]), 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

function blockListOf(ipv4: readonly Subnet[], ipv6: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

function ipv4Of(high = '0', low = '0'): string {
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return `${upper >> 8}.${upper & 255}.${lower >> 8}.${lower & 255}`;
}
