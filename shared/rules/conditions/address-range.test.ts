import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../visitor/address-text.js';
import { addressRangeOf, addressRangeTest, parseAddressRange } from './address-range.js';

interface Case {
  readonly range: string;
  readonly inside: readonly string[];
  readonly outside: readonly string[];
}

const CASES: readonly Case[] = [
  {
    range: '10.0.0.0/8',
    inside: ['10.0.0.0', '10.255.255.255'],
    outside: ['9.255.255.255', '11.0.0.0', '::a00:0'],
  },
  { range: '10.1.2.3/8', inside: ['10.0.0.0', '10.255.255.255'], outside: ['11.0.0.0'] },
  { range: '192.0.2.7/32', inside: ['192.0.2.7'], outside: ['192.0.2.6', '192.0.2.8'] },
  { range: '0.0.0.0/0', inside: ['0.0.0.0', '255.255.255.255'], outside: ['::'] },
  { range: '192.0.2.128/25', inside: ['192.0.2.128', '192.0.2.255'], outside: ['192.0.2.127', '192.0.3.0'] },
  { range: '::ffff:192.0.2.0/24', inside: ['192.0.2.9'], outside: ['192.0.3.0'] },
  {
    range: '192.0.2.5-192.0.3.1',
    inside: ['192.0.2.5', '192.0.2.255', '192.0.3.1'],
    outside: ['192.0.2.4', '192.0.3.2'],
  },
  { range: '192.0.2.5 - 192.0.2.5', inside: ['192.0.2.5'], outside: ['192.0.2.4', '192.0.2.6'] },
  {
    range: '2001:DB8::/32',
    inside: ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['2001:db7::', '2001:db9::', '10.0.0.1'],
  },
  { range: '2001:db8::1/128', inside: ['2001:db8::1'], outside: ['2001:db8::', '2001:db8::2'] },
  { range: 'fe80::/10', inside: ['fe80::1', 'febf::'], outside: ['fec0::', 'fe7f::'] },
  { range: '::/0', inside: ['::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '::1'], outside: ['0.0.0.0'] },
  { range: '::1-::1:0', inside: ['::1', '::ffff', '::1:0'], outside: ['::', '::1:1', '1::'] },
];

describe.each(CASES)('the range $range', ({ range, inside, outside }) => {
  const contains = addressRangeTest(parseAddressRange(range)!);

  it('contains the addresses from its first to its last, and no others', () => {
    expect(inside.filter((address) => !contains(address))).toEqual([]);
    expect(outside.filter((address) => contains(address))).toEqual([]);
  });
});

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6().filter((text) => parseAddress(text)?.includes(':') === true);
const canonical = (text: string) => parseAddress(text)!;

it.each([
  { family: 'ipv4' as const, address: ipv4, bits: 32 },
  { family: 'ipv6' as const, address: ipv6, bits: 128 },
])('holds of $family what any other reader of CIDRs says it holds', ({ family, address, bits }) => {
  const block = fc.tuple(address, fc.integer({ min: 0, max: bits }));
  fc.assert(
    fc.property(block, fc.array(address), ([base, prefix], addresses) => {
      const list = new BlockList();
      list.addSubnet(canonical(base), prefix, family);
      const contains = addressRangeTest(parseAddressRange(`${base}/${prefix}`)!);
      for (const one of [base, ...addresses].map(canonical)) {
        expect(contains(one), one).toBe(list.check(one, family));
      }
    }),
  );
});

it('contains the same addresses as an independent implementation', () => {
  fc.assert(
    fc.property(
      fc.tuple(ipv6, ipv6, ipv6).map((texts) => texts.map(canonical)),
      ([one = '', other = '', address = '']) => {
        const range = addressRangeOf(one, other) ?? addressRangeOf(other, one)!;
        const [first, last] = addressRangeOf(one, other) === undefined ? [other, one] : [one, other];
        const list = new BlockList();
        list.addRange(first, last, 'ipv6');
        expect(addressRangeTest(range)(address)).toBe(list.check(address, 'ipv6'));
      },
    ),
  );
});
