import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsBehaviour, type DnsServer, startDnsServer } from './dns-server.fixture.js';
import { createDomainVerifier } from './domain-verification.js';

const DOMAIN = 'example.test';
const OURS = '_waymark.example.test';
const VALUE = 'waymark-verify=0123456789abcdef';

let server: DnsServer;

beforeEach(async () => {
  server = await startDnsServer();
});

afterEach(async () => {
  await server.close();
});

function check(domain = DOMAIN) {
  return createDomainVerifier({ dnsServers: [server.address] }).check(domain, VALUE);
}

/** Checks with short waits, for silent servers. */
function checkImpatiently(dnsServers = [server.address]) {
  return createDomainVerifier({ dnsServers, timeoutMs: 50, tries: 2 }).check(DOMAIN, VALUE);
}

describe('a domain verifies', () => {
  it.each([
    ['by the record below it', OURS, [VALUE]],
    ['by a record of its own', DOMAIN, [VALUE]],
    ['when one record of several is right', OURS, ['other', VALUE, 'waymark-verify=old']],
    ['when the value is split into several strings', OURS, [['waymark-', 'verify=0123', '456789abcdef']]],
    ['when the value was stored with quotes', OURS, [`"${VALUE}"`]],
    ['when the value was stored with spaces around it', OURS, [`  ${VALUE}\t`]],
    ['when the zone writes the name in capitals', '_WAYMARK.Example.TEST', [VALUE]],
    ['among more records than are shown', DOMAIN, [...Array.from({ length: 40 }, (_, i) => `r${i}`), VALUE]],
  ])('%s', async (_case, name, records) => {
    server.setTxt(name, records);
    await expect(check()).resolves.toMatchObject({ kind: 'verified', name: name.toLowerCase() });
  });

  it('by an alias that leads to the right record', async () => {
    server.set(OURS, { cname: 'proof.elsewhere.test' });
    server.setTxt('proof.elsewhere.test', [VALUE]);
    await expect(check()).resolves.toMatchObject({ kind: 'verified', name: OURS });
  });

  it('over TCP when the answer does not fit into a datagram', async () => {
    const others = Array.from({ length: 12 }, (_, index) => `${index}-${'x'.repeat(200)}`);
    server.setTxt(OURS, [...others, VALUE]);
    await expect(check()).resolves.toMatchObject({ kind: 'verified' });
    expect(server.queries()).toContainEqual({ name: OURS, type: 'TXT', transport: 'tcp' });
  });

  it('at one name while the lookup of the other fails', async () => {
    server.setTxt(DOMAIN, [VALUE]);
    server.set(OURS, 'servfail');
    await expect(check()).resolves.toMatchObject({ kind: 'verified', name: DOMAIN });
  });

  it('as soon as the record is added, since an earlier absence is not remembered', async () => {
    const verifier = createDomainVerifier({ dnsServers: [server.address] });
    await expect(verifier.check(DOMAIN, VALUE)).resolves.toMatchObject({ kind: 'domainMissing' });
    server.setTxt(OURS, [VALUE]);
    await expect(verifier.check(DOMAIN, VALUE)).resolves.toMatchObject({ kind: 'verified' });
    server.setTxt(OURS, ['waymark-verify=changed']);
    await expect(verifier.check(DOMAIN, VALUE)).resolves.toMatchObject({ kind: 'wrongValue' });
  });

  it.each([
    ['servfail', false],
    [undefined, true],
  ] as const)('not for certain absent while one lookup fails (%s)', async (failure, isDefinite) => {
    server.setTxt(OURS, ['waymark-verify=other']);
    if (failure !== undefined) server.set(DOMAIN, failure);
    await expect(check()).resolves.toMatchObject({ kind: 'wrongValue', isDefinite });
  });

  it('under .localhost without any lookup', async () => {
    await expect(check('demo.localhost')).resolves.toEqual({ kind: 'verifiedLocally', found: [] });
    expect(server.queries()).toEqual([]);
  });

  it('under .localhost like any other where that is not allowed', async () => {
    const verifier = createDomainVerifier({ dnsServers: [server.address], allowLocalhost: false });
    expect(verifier.isLocal('demo.localhost')).toBe(false);
    expect((await verifier.check('demo.localhost', VALUE)).kind).not.toBe('verifiedLocally');
    expect(server.queries()).not.toEqual([]);
  });

  it('through the second server when the first one fails', async () => {
    const failing = await startDnsServer();
    try {
      failing.set(OURS, 'servfail');
      failing.set(DOMAIN, 'refused');
      server.setTxt(OURS, [VALUE]);
      const verifier = createDomainVerifier({ dnsServers: [failing.address, server.address] });
      await expect(verifier.check(DOMAIN, VALUE)).resolves.toMatchObject({ kind: 'verified', name: OURS });
    } finally {
      await failing.close();
    }
  });
});

describe('a value verifies only when it is exactly the one expected', () => {
  it.each([
    `${VALUE}0`,
    VALUE.slice(0, -1),
    VALUE.toUpperCase(),
    `x${VALUE}`,
    VALUE.replace('=', ' = '),
    `${VALUE} ${VALUE}`,
    '',
  ])('not by %j', async (value) => {
    server.setTxt(OURS, [value]);
    await expect(check()).resolves.toMatchObject({
      kind: 'wrongValue',
      name: OURS,
      found: [{ name: OURS, value }],
    });
  });

  it('not by two records that would make it together', async () => {
    server.setTxt(OURS, [VALUE.slice(0, 10), VALUE.slice(10)]);
    await expect(check()).resolves.toMatchObject({ kind: 'wrongValue' });
  });

  it('not by a record of a neighbouring name', async () => {
    server.setTxt('_waymark.test', [VALUE]);
    server.setTxt('_waymark.www.example.test', [VALUE]);
    await expect(check()).resolves.toMatchObject({ kind: 'recordMissing' });
  });
});

describe('what is reported when the value is not found', () => {
  const spf = { txt: ['v=spf1 -all'] };
  const old = { txt: ['waymark-verify=old'] };
  const cases: readonly (readonly [ours: DnsBehaviour, own: DnsBehaviour, kind: string, name: string])[] = [
    ['nxdomain', 'nxdomain', 'domainMissing', OURS],
    ['nxdomain', 'nodata', 'recordMissing', DOMAIN],
    ['nodata', 'nodata', 'recordMissing', OURS],
    ['nxdomain', spf, 'recordMissing', DOMAIN],
    ['nxdomain', old, 'wrongValue', DOMAIN],
    [spf, 'nodata', 'wrongValue', OURS],
    [old, 'servfail', 'wrongValue', OURS],
    ['servfail', old, 'wrongValue', DOMAIN],
    ['servfail', 'servfail', 'serverFailure', OURS],
    ['servfail', 'nxdomain', 'serverFailure', OURS],
    ['nxdomain', 'servfail', 'serverFailure', DOMAIN],
    ['servfail', spf, 'serverFailure', OURS],
    ['refused', 'refused', 'refused', OURS],
    ['refused', 'servfail', 'serverFailure', DOMAIN],
    ['nodata', 'refused', 'refused', DOMAIN],
    ['garbage', 'garbage', 'malformedAnswer', OURS],
    ['malformed', 'malformed', 'malformedAnswer', OURS],
    ['malformed', 'nxdomain', 'malformedAnswer', OURS],
    [{ cname: 'nowhere.test' }, 'nodata', 'recordMissing', OURS],
  ];

  it.each(cases)('%j at _waymark and %j at the domain is %s', async (ours, own, kind, name) => {
    server.set(DOMAIN, own);
    server.set(OURS, ours);
    await expect(check()).resolves.toMatchObject({ kind, name });
  });

  it.each<readonly [DnsBehaviour, DnsBehaviour, string]>([
    ['silent', 'silent', OURS],
    ['silent', 'nxdomain', OURS],
    ['nodata', 'silent', DOMAIN],
  ])('%j at _waymark and %j at the domain is timedOut', async (ours, own, name) => {
    server.set(DOMAIN, own);
    server.set(OURS, ours);
    await expect(checkImpatiently()).resolves.toMatchObject({ kind: 'timedOut', name, found: [] });
  });

  it('that no server is reachable when none listens', async () => {
    const stopped = await startDnsServer();
    await stopped.close();
    await expect(checkImpatiently([stopped.address])).resolves.toMatchObject({ kind: 'unreachable' });
  });
});

describe('a check', () => {
  it('asks for both names at the same time', async () => {
    server.set(OURS, 'held');
    server.set(DOMAIN, 'held');
    const result = createDomainVerifier({ dnsServers: [server.address], timeoutMs: 20_000, tries: 1 }).check(
      DOMAIN,
      VALUE,
    );
    await server.whenAsked(2);
    expect(server.queries().map(({ name }) => name)).toEqual(expect.arrayContaining([OURS, DOMAIN]));
    server.setTxt(OURS, [VALUE]);
    server.set(DOMAIN, 'nodata');
    await expect(result).resolves.toMatchObject({ kind: 'verified' });
  });

  it('ends at its bound, however patient the lookups are', async () => {
    server.set(OURS, 'silent');
    server.set(DOMAIN, 'silent');
    const options = { dnsServers: [server.address], timeoutMs: 600_000, tries: 10, checkTimeoutMs: 100 };
    await expect(createDomainVerifier(options).check(DOMAIN, VALUE)).resolves.toMatchObject({
      kind: 'timedOut',
    });
  });

  it('asks for nothing but the TXT records of the two names', async () => {
    await check('shop.example.test');
    const asked = server.queries().map(({ name, type }) => `${name} ${type}`);
    expect(asked.toSorted()).toEqual(['_waymark.shop.example.test TXT', 'shop.example.test TXT']);
  });

  it('works for a name so long that no name fits below it', async () => {
    const longDomain = `${`${'a'.repeat(61)}.`.repeat(4)}test`;
    server.setTxt(longDomain, [VALUE]);
    await expect(check(longDomain)).resolves.toMatchObject({ kind: 'verified', name: longDomain });
  });

  it('shows what it found: bounded, escaped, ours first', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `other ${index}`);
    server.setTxt(DOMAIN, [...many, 'waymark-verify=old']);
    server.setTxt(OURS, ['\u001b[31mred\u0000', 'Größe', 'b\u202ea', ['x'.repeat(255), 'x'.repeat(255)]]);
    const { found } = await check();
    expect(found).toHaveLength(20);
    expect(found.slice(0, 6)).toEqual([
      { name: OURS, value: '\\027[31mred\\000' },
      { name: OURS, value: 'Größe' },
      { name: OURS, value: 'b\\u{202e}a' },
      { name: OURS, value: `${'x'.repeat(254)}…` },
      { name: DOMAIN, value: 'waymark-verify=old' },
      { name: DOMAIN, value: 'other 0' },
    ]);
  });

  it('is not offered for servers that are not given by address', () => {
    expect(() => createDomainVerifier({ dnsServers: ['resolver.example:53'] })).toThrow();
  });
});
