import { describe, expect, it } from 'vitest';
import { heapGrowthOf } from './heap-growth.fixture.js';
import { VisitorAddress } from './visitor-address.js';

const NOBODY: string[] = [];
const PRIVATE = ['10.0.0.0/8', 'fd00::/8', '192.0.2.7'];

interface Case {
  readonly name: string;
  readonly trusted: string[];
  readonly peer: string;
  readonly forwardedFor: string;
  readonly address: string;
}

const cases: Case[] = [
  {
    name: 'a direct visitor',
    trusted: NOBODY,
    peer: '203.0.113.5',
    forwardedFor: '',
    address: '203.0.113.5',
  },
  {
    name: 'a visitor who writes the header himself while nobody is trusted',
    trusted: NOBODY,
    peer: '203.0.113.5',
    forwardedFor: '1.1.1.1',
    address: '203.0.113.5',
  },
  {
    name: 'a visitor outside the trusted ranges who writes the header himself',
    trusted: PRIVATE,
    peer: '203.0.113.5',
    forwardedFor: '10.0.0.1, 1.1.1.1',
    address: '203.0.113.5',
  },
  {
    name: 'one trusted proxy',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '198.51.100.4',
    address: '198.51.100.4',
  },
  {
    name: 'one trusted proxy given as a single address',
    trusted: PRIVATE,
    peer: '192.0.2.7',
    forwardedFor: '198.51.100.4',
    address: '198.51.100.4',
  },
  {
    name: 'the neighbour of a proxy given as a single address',
    trusted: PRIVATE,
    peer: '192.0.2.8',
    forwardedFor: '198.51.100.4',
    address: '192.0.2.8',
  },
  {
    name: 'a chain of trusted proxies',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '198.51.100.4, 10.9.9.9, fd00::1',
    address: '198.51.100.4',
  },
  {
    name: 'a spoofed entry left of the real one',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '1.1.1.1, 198.51.100.4',
    address: '198.51.100.4',
  },
  {
    name: 'a spoofed entry that pretends to be a trusted proxy',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '1.1.1.1, 10.0.0.1, 198.51.100.4',
    address: '198.51.100.4',
  },
  {
    name: 'only trusted entries',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '10.0.0.9, 10.0.0.8',
    address: '10.0.0.9',
  },
  {
    name: 'a trusted proxy that says nothing',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '',
    address: '10.1.2.3',
  },
  {
    name: 'garbage right of everything',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '198.51.100.4, unknown',
    address: '',
  },
  {
    name: 'garbage behind a trusted proxy',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '198.51.100.4, <script>, 10.0.0.8',
    address: '',
  },
  {
    name: 'garbage left of the visitor',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '<script>, _hidden, 198.51.100.4, 10.0.0.8',
    address: '198.51.100.4',
  },
  {
    name: 'garbage from a peer that is not trusted',
    trusted: PRIVATE,
    peer: '203.0.113.5',
    forwardedFor: 'unknown',
    address: '203.0.113.5',
  },
  {
    name: 'empty entries, which a list may hold',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: ' , 198.51.100.4 ,, ',
    address: '198.51.100.4',
  },
  {
    name: 'nothing but commas',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: ',,,',
    address: '10.1.2.3',
  },
  {
    name: 'an entry with a port',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '198.51.100.4:52100',
    address: '198.51.100.4',
  },
  {
    name: 'a bracketed IPv6 entry with a port',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '[2001:DB8::0001]:443',
    address: '2001:db8::1',
  },
  {
    name: 'a bracketed IPv6 entry',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '[2001:db8::1]',
    address: '2001:db8::1',
  },
  {
    name: 'an address out of range',
    trusted: PRIVATE,
    peer: '10.1.2.3',
    forwardedFor: '999.1.1.1',
    address: '',
  },
  {
    name: 'an IPv4 visitor on a dual-stack socket',
    trusted: NOBODY,
    peer: '0000:0000:0000:0000:0000:ffff:cb00:7105',
    forwardedFor: '',
    address: '203.0.113.5',
  },
  {
    name: 'a trusted IPv4 proxy on a dual-stack socket',
    trusted: PRIVATE,
    peer: '0000:0000:0000:0000:0000:ffff:0a01:0203',
    forwardedFor: '::ffff:198.51.100.4',
    address: '198.51.100.4',
  },
  {
    name: 'an IPv6 peer spelled out in full',
    trusted: NOBODY,
    peer: '2001:0db8:0000:0000:0000:0000:0000:00AB',
    forwardedFor: '',
    address: '2001:db8::ab',
  },
  {
    name: 'a trusted IPv6 proxy spelled out in full',
    trusted: PRIVATE,
    peer: 'fd00:0000:0000:0000:0000:0000:0000:0001',
    forwardedFor: '2001:db8::ab',
    address: '2001:db8::ab',
  },
  {
    name: 'a link-local peer with a zone',
    trusted: NOBODY,
    peer: 'fe80::1%eth0',
    forwardedFor: '',
    address: 'fe80::1',
  },
  { name: 'a peer that is no address', trusted: PRIVATE, peer: '', forwardedFor: '1.1.1.1', address: '' },
];

describe('the address of a visitor', () => {
  it.each(cases)('is $address for $name', ({ trusted, peer, forwardedFor, address }) => {
    expect(new VisitorAddress(trusted).resolve(peer, forwardedFor)).toBe(address);
  });

  it.each([
    ['unknown', ''],
    ['UNKNOWN', ''],
    ['_hidden', ''],
    ['_SEVKISEK', ''],
    ['-', ''],
    ['proxy.example', ''],
    ['198.51.100.4/32', ''],
    ['198.51.100', ''],
    ['0x7f.1', ''],
    ['198.51.100.4:port', ''],
    ['[2001:db8::1', ''],
    ['2001:db8:::1', ''],
    ['"198.51.100.4"', ''],
    ['198.51.100.4;proto=https', ''],
    ['x'.repeat(16_000), ''],
    [' 198.51.100.4 ', '198.51.100.4'],
    ['198.51.100.4:52100', '198.51.100.4'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['::ffff:198.51.100.4', '198.51.100.4'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '::1'],
  ])('in the entry %j of a trusted proxy is %j, whatever the header', (entry, address) => {
    for (const header of ['x-forwarded-for', 'X-Real-IP']) {
      const addresses = new VisitorAddress(PRIVATE, header);
      expect(addresses.resolve('10.0.0.1', entry), header).toBe(address);
      expect(addresses.unreadable, header).toBe(address === '' ? 1 : 0);
    }
  });

  it('that cannot be read is counted each time, and not where nobody has named one', () => {
    const addresses = new VisitorAddress(PRIVATE);
    for (const said of ['unknown', '_x', '', ',', '198.51.100.4']) addresses.resolve('10.0.0.1', said);
    addresses.resolve('203.0.113.5', 'unknown');
    addresses.resolve('', '');
    expect(addresses.unreadable).toBe(2);
  });

  it.each([
    { name: 'as it is', said: '198.51.100.4', address: '198.51.100.4' },
    { name: 'though it is that of a trusted network', said: '10.9.9.9', address: '10.9.9.9' },
    { name: 'behind what the visitor has sent', said: '1.1.1.1,198.51.100.4', address: '198.51.100.4' },
    { name: 'before an empty line', said: '198.51.100.4,', address: '198.51.100.4' },
    { name: 'and no other where it cannot be read', said: '198.51.100.4, unknown', address: '' },
    { name: 'unless it names none', said: '', address: '10.0.0.1' },
    { name: 'unless all lines are empty', said: ', ,', address: '10.0.0.1' },
  ])('is the one that a header of one address names, $name', ({ said, address }) => {
    const addresses = new VisitorAddress(PRIVATE, 'CF-Connecting-IP');
    expect(addresses.header).toBe('cf-connecting-ip');
    expect(addresses.resolve('10.0.0.1', said)).toBe(address);
    expect(addresses.resolve('203.0.113.5', said)).toBe('203.0.113.5');
  });

  it('takes the word of trusted peers only', () => {
    const addresses = new VisitorAddress(PRIVATE);
    expect(addresses.trusts('10.0.0.1')).toBe(true);
    expect(addresses.trusts('0000:0000:0000:0000:0000:ffff:0a01:0203')).toBe(true);
    expect(addresses.trusts('11.0.0.1')).toBe(false);
    expect(addresses.trusts('')).toBe(false);
    expect(new VisitorAddress(NOBODY).trusts('10.0.0.1')).toBe(false);
  });

  it('is told by the peer, though another one has sent the same header before', () => {
    const addresses = new VisitorAddress(PRIVATE);
    expect(addresses.resolve('10.0.0.1', '198.51.100.4')).toBe('198.51.100.4');
    expect(addresses.resolve('203.0.113.5', '198.51.100.4')).toBe('203.0.113.5');
    expect(addresses.resolve('10.0.0.1', '198.51.100.4')).toBe('198.51.100.4');
  });

  it('refuses an invalid range', () => {
    expect(() => new VisitorAddress(['10.0.0.0/8', 'proxy.example'])).toThrow('"proxy.example"');
  });
});

it('gives addresses that keep nothing of a long chain in memory', () => {
  const visitorAddress = new VisitorAddress(['10.0.0.1']);
  const addresses = () =>
    Array.from({ length: 400 }, (_, n) => {
      const address = `203.0.113.${100 + (n % 100)}`;
      return visitorAddress.resolve('10.0.0.1', `${'198.51.100.1, '.repeat(2_000)}${address}`);
    });
  expect(addresses()[7]).toBe('203.0.113.107');
  // 400 chains have 10 MiB.
  expect(heapGrowthOf(addresses).bytes).toBeLessThan(2 ** 20);
});
