import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTrustedNetworks } from './trusted-networks.js';

describe('trusted networks', () => {
  it.each([
    { range: '10.0.0.0/8', inside: ['10.0.0.0', '10.255.255.255'], outside: ['9.255.255.255', '11.0.0.0'] },
    { range: '192.0.2.7', inside: ['192.0.2.7'], outside: ['192.0.2.6', '192.0.2.70', '0.0.0.7'] },
    { range: '200.0.2.9/31', inside: ['200.0.2.8', '200.0.2.9'], outside: ['200.0.2.7', '200.0.2.10'] },
    { range: '1.2.3.4/0', inside: ['0.0.0.0', '128.0.0.0', '255.255.255.255'], outside: ['::1'] },
    { range: 'fd00::/8', inside: ['fd00::', 'fdff::1'], outside: ['fc00::1', '253.0.0.1'] },
    { range: '::ffff:10.0.0.0/104', inside: ['10.0.0.1', '10.255.0.1'], outside: ['11.0.0.1', '::a00:1'] },
    { range: '::ffff:10.0.0.1', inside: ['10.0.0.1'], outside: ['10.0.0.2'] },
    { range: '::ffff:0:0/96', inside: ['10.0.0.1', '255.0.0.1'], outside: ['2001:db8::1'] },
    { range: '::/0', inside: ['10.0.0.1', '2001:db8::1'], outside: [] },
    { range: '::/80', inside: ['10.0.0.1', '::1'], outside: ['2001:db8::1'] },
    { range: '::/96', inside: ['::1'], outside: ['10.0.0.1'] },
    { range: '2001:db8::5', inside: ['2001:db8::5'], outside: ['2001:db8::6'] },
  ])('$range has $inside and not $outside', ({ range, inside, outside }) => {
    const networks = createTrustedNetworks([range]);
    expect(inside.filter((address) => !networks.includes(address))).toEqual([]);
    expect(outside.filter((address) => networks.includes(address))).toEqual([]);
  });

  it('of IPv4 are those that BlockList has', () => {
    const address = fc.ipV4();
    const range = fc.tuple(address, fc.integer({ min: 0, max: 32 }));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 4 }), fc.array(address), (ranges, addresses) => {
        const networks = createTrustedNetworks(ranges.map(([network, bits]) => `${network}/${bits}`));
        const list = new BlockList();
        for (const [network, bits] of ranges) list.addSubnet(network, bits, 'ipv4');
        for (const one of [...addresses, ...ranges.map(([network]) => network)]) {
          expect(networks.includes(one)).toBe(list.check(one, 'ipv4'));
        }
      }),
    );
  });

  it.each(['proxy', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '/8', ''])(
    'are not taken from "%s"',
    (range) => {
      expect(() => createTrustedNetworks([range])).toThrow(`"${range}" is neither`);
    },
  );

  it('may be none', () => {
    expect(createTrustedNetworks([]).areNone).toBe(true);
    expect(createTrustedNetworks([]).includes('10.0.0.1')).toBe(false);
    expect(createTrustedNetworks(['::1']).areNone).toBe(false);
  });
});
