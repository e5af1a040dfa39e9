import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { redirectOptions } from '../../../shared/ruleset/redirect-options.fixture.js';
import { createTextHash, type TextHash } from '../../texts/text-hash.js';
import { redirectOf } from '../redirect-definition.fixture.js';
import { shareOf } from '../rule-definition.fixture.js';
import { type CapturedRedirects, ColdRedirects, coldFormOf } from './cold-redirects.js';

/** Names that no redirect should have among them: they must not be taken for others either. */
const ODD_HOSTS = ['', 'a', 'a"', 'a","b', 'a\\', 'a\n', 'bücher.example', '\ud800', '__proto__', '["a"]'];
const HOSTS = [...Array.from({ length: 30 }, (_, i) => `host-${i}.example`), ...ODD_HOSTS];

const HASHES: Record<string, () => TextHash> = {
  'all the same': () => () => 7,
  'all zero': () => () => 0,
  'of four kinds': () => (host) => (host.length % 4) * 0x4000_0001,
  'neighbours around the end of a segment': () => (host) => 0xffff_fff0 + (host.length % 16),
  'as in the product': createTextHash,
};

const definition = fc
  .record({
    host: fc.constantFrom(...HOSTS),
    id: fc.string({ minLength: 1, maxLength: 128 }),
    destination: fc.webUrl({ withFragments: true }),
    redirectType: fc.constantFrom('permanent', 'temporary'),
    pathForwarding: fc.boolean(),
    queryForwarding: fc.boolean(),
    samplingRate: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
    rules: fc.constantFrom(undefined, [], [shareOf(1, 50)]),
    retentionDays: fc.constantFrom(undefined, 0, 365),
    cacheSeconds: fc.constantFrom(undefined, 0, 31_536_000),
    queryRecording: fc.constantFrom(undefined, undefined, 'names', 'none'),
    options: fc.oneof(fc.constant({}), redirectOptions),
  })
  .map(({ rules, retentionDays, cacheSeconds, queryRecording, options, ...rest }) => ({
    ...rest,
    ...options,
    ...(rules !== undefined && { rules }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...(queryRecording !== undefined && { queryRecording }),
  })) satisfies fc.Arbitrary<RedirectDefinition>;

const step = fc.oneof(
  { weight: 4, arbitrary: definition.map((redirect) => ({ host: redirect.host, redirect })) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTS).map((host) => ({ host, redirect: null })) },
);

function replayed({ pieces }: CapturedRedirects): ColdRedirects {
  const cold = new ColdRedirects();
  for (const line of Buffer.concat(pieces)
    .toString('utf8')
    .split(/(?<=\n)/)) {
    if (line !== '') cold.replay(line);
  }
  return cold;
}

function byHost(redirects: Iterable<RedirectDefinition>): Map<string, RedirectDefinition> {
  return new Map(Array.from(redirects, (redirect) => [redirect.host, redirect]));
}

const LINES_OF_EARLIER_VERSIONS: readonly [line: string, expected: object][] = [
  ['["a","id","https://b",301,5,1]', { pathForwarding: true, samplingRate: 1 }],
  [
    '["a","id","https://b",302,4,0.5,30]',
    { redirectType: 'temporary', samplingRate: 0.5, retentionDays: 30 },
  ],
  ['["a","id","https://b",301,0,1,null,[]]', { rules: [] }],
  ['["a","id","https://b",301,0,1,7,[]]', { retentionDays: 7, rules: [] }],
];

describe('redirects in their cold form', () => {
  it.each(LINES_OF_EARLIER_VERSIONS)('are read from %s, of an earlier version', (line, expected) => {
    const cold = new ColdRedirects();
    cold.replay(`${line}\n`);
    const definition = redirectOf('a', { id: 'id', destination: 'https://b', ...expected });
    expect(cold.find('a')?.definition).toEqual(definition);
    expect([...cold]).toEqual([definition]);
  });

  it('take no more room for a time in caches that is the default', () => {
    const cold = new ColdRedirects();
    cold.set(redirectOf('a', { id: 'id', destination: 'https://b' }));
    expect(Buffer.concat(cold.capture().pieces).toString()).toBe('["a","id","https://b",301,4,1]\n');
  });

  it.each<[string, Partial<RedirectDefinition>]>([
    ['["a","id","https://b",301,0,1,{"gone":true}]', { gone: true }],
    ['["a","id","https://b",301,0,1,null,0,{"statusCode":308}]', { cacheSeconds: 0, statusCode: 308 }],
    [
      '["a","id","https://b",302,0,1,30,[],{"endsAt":5}]',
      { redirectType: 'temporary', retentionDays: 30, rules: [], endsAt: 5 },
    ],
  ])('put options last: %s', (line, given) => {
    const cold = new ColdRedirects();
    const definition = redirectOf('a', { id: 'id', destination: 'https://b', ...given });
    cold.set(definition);
    expect(Buffer.concat(cold.capture().pieces).toString()).toBe(`${line}\n`);
    expect(cold.find('a')).toMatchObject({ definition, isPlain: false });
  });

  it.each([
    ['{"gone":false}', 'the redirect of "a" is refused'],
    ['{"certificate":{"fingerprint":"ab","notAfter":1}}', 'the redirect of "a" is refused'],
    ['{"host":"c","gone":true}', 'a line of it is no redirect'],
    ['{}', 'a line of it is no redirect'],
    ['null,{"gone":true},[]', 'a line of it is no redirect'],
  ])('refuse a line with the options %s', (options, problem) => {
    const line = `["a","id","https://b",301,0,1,${options}]\n`;
    expect(() => new ColdRedirects().replay(line)).toThrow(problem);
  });

  it.each(Object.entries(HASHES))('are those of a plain map, with hashes %s', (_name, hash) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), fc.nat(120), (steps, captureAfter) => {
        const cold = new ColdRedirects(hash());
        const plain = new Map<string, RedirectDefinition>();
        let captured: { cold: CapturedRedirects; plain: typeof plain } | undefined;
        steps.forEach((change, at) => {
          if (at === captureAfter) captured = { cold: cold.capture(), plain: new Map(plain) };
          cold.apply([change]);
          if (change.redirect === null) plain.delete(change.host);
          else plain.set(change.host, change.redirect);
        });
        expect(cold.length).toBe(plain.size);
        for (const host of HOSTS) expect(cold.find(host)?.definition).toEqual(plain.get(host));
        expect(byHost(cold)).toEqual(plain);
        const again = replayed(cold.capture());
        expect(again.length).toBe(plain.size);
        expect(byHost(again)).toEqual(plain);
        if (captured !== undefined) {
          expect(captured.cold).toHaveLength(captured.plain.size);
          expect(byHost(captured.cold)).toEqual(captured.plain);
          expect(byHost(replayed(captured.cold))).toEqual(captured.plain);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('take no more than half as much again after any number of changes, and stay the same', () => {
    const cold = coldFormOf(Array.from({ length: 8_000 }, (_, i) => redirectOf(`host-${i}.example`)));
    const wholeBytes = cold.usedBytes;
    for (let i = 0; i < 12_000; i += 1) {
      const host = `host-${(i * 7_919) % 1_000}.example`;
      if (i % 3 === 2) cold.apply([{ host, redirect: null }]);
      cold.set(redirectOf(host, { destination: `https://${i % 10}.example` }));
      if (i % 1_000 === 0) expect(cold.usedBytes).toBeLessThan(1.5 * wholeBytes + 2 * 256 * 1024);
    }
    expect(cold.length).toBe(8_000);
    expect(replayed(cold.capture()).length).toBe(8_000);
    expect(cold.find('host-7999.example')?.definition).toEqual(redirectOf('host-7999.example'));
    expect(cold.find('host-999.example')?.definition.destination).not.toBe('https://destination.example');
  });

  it('keep a capture as it was while what it shows is cleared away', () => {
    const cold = coldFormOf(Array.from({ length: 8_000 }, (_, i) => redirectOf(`host-${i}.example`)));
    const captured = cold.capture();
    for (let i = 0; i < 16_000; i += 1) {
      cold.set(redirectOf(`host-${i % 8_000}.example`, { destination: 'https://other.example' }));
    }
    const destinations = new Set(Array.from(captured, ({ destination }) => destination));
    expect([...destinations]).toEqual(['https://destination.example']);
  });

  it.each([
    redirectOf('a.example'),
    redirectOf('a.example', {
      id: 'r 1',
      redirectType: 'temporary',
      pathForwarding: true,
      samplingRate: 1e-7,
    }),
    redirectOf('a.example', {
      destination: 'https://b.example/?c,d]]#e',
      queryForwarding: true,
      retentionDays: 30,
    }),
  ])('tell of plain redirects that they are: %j', (redirect) => {
    const found = coldFormOf([redirect]).find('a.example');
    expect(found).toMatchObject({ isPlain: true });
    expect(found?.definition).toEqual(redirect);
  });

  it.each([
    redirectOf('a.example', { id: 'of "a"' }),
    redirectOf('a.example', { destination: 'https://a.example/b' }),
    redirectOf('a.example', { destination: 'https://b.example/"' }),
    redirectOf('bücher.example', { id: 'a' }),
    redirectOf('a.example', { rules: [] }),
    redirectOf('a.example', { rules: [shareOf(1, 50)], retentionDays: 30 }),
  ])('tell of others that they are not: %j', (redirect) => {
    const found = coldFormOf([redirect]).find(redirect.host);
    expect(found).toMatchObject({ isPlain: false });
    expect(found?.definition).toEqual(redirect);
  });

  it('keep what is noted on a definition until another one takes its place', () => {
    const hosts = Array.from({ length: 8_000 }, (_, i) => `host-${i}.example`);
    const cold = coldFormOf(hosts.map((host) => redirectOf(host)));
    for (const [i, host] of hosts.entries()) cold.note(cold.find(host)!.place, i + 1);
    const changed = hosts.slice(0, 100);
    const gone = hosts.slice(100, 1_000);
    // More lines than make up a quarter of all: those of the others are moved.
    for (let round = 0; round < 40; round += 1) for (const host of changed) cold.set(redirectOf(host));
    cold.apply(gone.map((host) => ({ host, redirect: null })));
    for (const host of changed) expect(cold.find(host)?.note).toBe(0);
    for (const host of gone) cold.set(redirectOf(host));
    expect(hosts.map((host) => cold.find(host)?.note)).toEqual(hosts.map((_, i) => (i < 1_000 ? 0 : i + 1)));
  });

  it('hold lines that are longer than a block', () => {
    const rules = Array.from({ length: 3_000 }, (_, i) => shareOf(i + 1, 10));
    const long = redirectOf('long.example', { rules });
    const cold = coldFormOf([redirectOf('a.example'), long, redirectOf('b.example')]);
    expect(cold.find('long.example')?.definition).toEqual(long);
    for (let i = 0; i < 8; i += 1) cold.set(redirectOf('long.example', { rules, id: `${i}` }));
    expect(cold.find('long.example')?.definition.id).toBe('7');
    expect(cold.find('b.example')?.definition).toEqual(redirectOf('b.example'));
    expect(byHost(replayed(cold.capture())).size).toBe(3);
    expect(cold.usedBytes).toBeLessThan(4 * JSON.stringify(rules).length);
  });

  it('change in all hosts of a delta or in none', () => {
    const cold = coldFormOf([redirectOf('a.example')]);
    const broken = { host: 'b.example', redirect: undefined } as never;
    const good = { host: 'a.example', redirect: null };
    expect(() => cold.apply([good, undefined as never])).toThrow();
    expect(() => cold.apply([good, broken])).toThrow();
    expect([...cold]).toEqual([redirectOf('a.example')]);
  });

  it.each([
    '',
    'x',
    '{}',
    '[]',
    '[1]',
    '["a.example",1]',
    '["a","i","d",307,0,1]',
    ...['-1', '12', '20', '24', '4294967296', '1.5', '"1"', 'null'].map(
      (traits) => `["a","i","d",301,${traits},1]`,
    ),
  ])('are not replayed from %j', (line) => {
    const cold = new ColdRedirects();
    expect(() => cold.replay(`${line}\n`)).toThrow();
    expect(cold.length).toBe(0);
  });
});
