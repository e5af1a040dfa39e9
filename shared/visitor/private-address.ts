/**
 * Prefixes of addresses without a place: private, local, shared, documentation (RFC 6890, RFC 5737, RFC 3849). They
 * are patterns because `BlockList` takes several times as long as the search for a place.
 */
const BEGINNINGS = [
  '0\\.', // 0.0.0.0/8
  '10\\.', // 10.0.0.0/8
  '100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\.', // 100.64.0.0/10
  '127\\.', // 127.0.0.0/8
  '169\\.254\\.', // 169.254.0.0/16
  '172\\.(?:1[6-9]|2\\d|3[01])\\.', // 172.16.0.0/12
  '192\\.0\\.[02]\\.', // 192.0.0.0/24, 192.0.2.0/24
  '192\\.168\\.', // 192.168.0.0/16
  '198\\.1[89]\\.', // 198.18.0.0/15
  '198\\.51\\.100\\.', // 198.51.100.0/24
  '203\\.0\\.113\\.', // 203.0.113.0/24
  '(?:22[4-9]|2[345]\\d)\\.', // 224.0.0.0/3
  '::', // ::/16
  '2001:db8:', // 2001:db8::/32
  'f[cd]\\w\\w:', // fc00::/7
  'fe[89ab]\\w:', // fe80::/10
  'ff\\w\\w:', // ff00::/8
];
const PRIVATE = new RegExp(`^(?:${BEGINNINGS.join('|')})`);

/** Returns whether an address, in canonical text, is in a network without a place in the world. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.test(address);
}
