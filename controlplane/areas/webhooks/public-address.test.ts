import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './public-address.js';

describe('an address that nobody may be sent to', () => {
  test.each([
    ['this host', ['0.0.0.0', '0.1.2.3', '::']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1']],
    ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
    ['link-local', ['169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1']],
    [
      'cloud metadata',
      ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
    ],
    ['multicast, reserved or broadcast', ['224.0.0.1', '240.0.0.1', '255.255.255.255', 'ff02::1']],
    [
      'documentation and benchmarks',
      ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', '3fff::1'],
    ],
    [
      'IPv4 in IPv6',
      ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:a00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ],
    [
      'IPv4 behind NAT64',
      ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::1', '64:ff9b::'],
    ],
    ['local NAT64', ['64:ff9b:1::8.8.8.8', '64:ff9b:1:fffe::a00:1']],
    ['IPv4 in 6to4 and Teredo', ['2002:7f00:1::', '2002:808:808::1', '2001:0:808:808::1']],
    ['not assigned', ['4000::1', '1000::1', 'e000::1', '100::1']],
    ['no address', ['', 'localhost', '127.1', '0x7f000001', '1.2.3.4:80', '[::1]']],
  ])('is one that is %s', (_what, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

test('a public address, in any notation, is public', () => {
  const addresses = [
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '169.253.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ];
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});
