import { expect, it } from 'vitest';
import { createPeerAddresses } from './peer-address.js';

const bytes = (...values: number[]) => Uint8Array.from(values).buffer;
const groups = (...values: number[]) => bytes(...values.flatMap((value) => [value >> 8, value & 255]));

it.each([
  [bytes(127, 0, 0, 1), '127.0.0.1'],
  [bytes(255, 255, 255, 255), '255.255.255.255'],
  [bytes(192, 0, 2, 10), '192.0.2.10'],
  [groups(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), '2001:db8::1'],
  [groups(0, 0, 0, 0, 0, 0, 0, 1), '::1'],
  [groups(0, 0, 0, 0, 0, 0xffff, 0xc000, 0x20a), '192.0.2.10'],
  [groups(0, 0, 0, 0, 0, 0xffff, 0xffff, 0xffff), '255.255.255.255'],
  [groups(0, 0, 0, 0, 0, 0xfffe, 0xc000, 0x20a), '::fffe:c000:20a'],
  [groups(0, 0, 1, 0, 0, 0xffff, 0xc000, 0x20a), '::1:0:0:ffff:c000:20a'],
  [groups(0xfe80, 0, 0, 1, 0, 0, 0xabcd, 0), 'fe80::1:0:0:abcd:0'],
  [bytes(), ''],
])('writes %s as %s, the first time and again', (address, text) => {
  const peers = createPeerAddresses();
  expect([peers.textOf(address), peers.textOf(address)]).toEqual([text, text]);
});

it('tells any number of addresses apart', () => {
  const peers = createPeerAddresses();
  for (let round = 0; round < 2; round += 1) {
    for (let host = 0; host < 20_000; host += 1) {
      const address = bytes(10, host >> 16, (host >> 8) & 255, host & 255);
      expect(peers.textOf(address)).toBe(`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`);
    }
  }
});
