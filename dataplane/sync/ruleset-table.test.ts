import { describe, expect, it } from 'vitest';
import { createTestVisitor } from '../../shared/rules/visitor.fixture.js';
import { nextCounters } from '../hits/hit-counters.fixture.js';
import { createHitCounters } from '../hits/hit-counters.js';
import { coldFormOf } from './cold/cold-redirects.js';
import { listed } from './cold/listed.fixture.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { shareOf, splitOf } from './rule-definition.fixture.js';
import { createTestTable } from './ruleset-table.fixture.js';
import type { ServedRedirect } from './ruleset-table.js';

const VERSION = { epoch: 7, seq: 3 };

function tableWith(...hosts: string[]) {
  const counters = createHitCounters();
  const table = createTestTable(counters);
  table.replaceAll({ version: VERSION, redirects: hosts.map((host) => redirectOf(host)) });
  return { table, counters };
}

/** Where visitors are sent whom no rule matches. */
function ownLocation({ redirect }: ServedRedirect): string {
  return redirect.routeOf(undefined).location('/', undefined);
}

const SPLIT = splitOf(5, ['a', 'b'], 'none');
const SHARE = shareOf(6, 10);

describe('the ruleset table', () => {
  it('knows the difference between no ruleset and an empty one', () => {
    const table = createTestTable();
    expect(table.version).toBeUndefined();
    expect(table.current()).toBeUndefined();
    table.replaceAll({ version: VERSION, redirects: [] });
    expect(table.version).toEqual(VERSION);
    expect(listed(table.current()!)).toEqual({ version: VERSION, redirects: [] });
  });

  it('compiles a redirect once that is asked for again, and gives it the tally of its id', () => {
    const { table, counters } = tableWith('a.example');
    table.find('a.example');
    const served = table.find('a.example');
    expect(ownLocation(served!)).toBe('https://destination.example');
    expect(served?.tally).toBe(counters.tallyOf('id-of-a.example'));
    expect(table.find('a.example')).toBe(served);
  });

  it('has a place for the tally of each outcome of the rules', () => {
    const table = createTestTable();
    const redirects = [redirectOf('a.example', { rules: [SPLIT, SHARE] }), redirectOf('b.example')];
    table.replaceAll({ version: VERSION, redirects });
    const served = table.find('a.example')!;
    const outcomes = served.redirect.matcher!.outcomes;
    expect(outcomes.map(({ variant }) => variant)).toEqual(['a', 'b', '', '']);
    expect(served.ruleTallies).toEqual(outcomes.map(() => undefined));
    expect(table.find('b.example')!.ruleTallies).toEqual([]);
  });

  it('changes a redirect and its rules in one step', () => {
    const table = createTestTable();
    const before = redirectOf('a.example', { destination: 'https://old.example', rules: [SPLIT] });
    const after = redirectOf('a.example', { destination: 'https://new.example', rules: [SHARE] });
    table.replaceAll({ version: VERSION, redirects: [before] });
    const held = table.find('a.example')!;
    table.apply({
      version: { epoch: 7, seq: 4 },
      previousSeq: 3,
      changes: [{ host: 'a.example', redirect: after }],
    });
    const rulesAndDestination = (served: ServedRedirect) => [
      served.redirect.matcher?.decide(createTestVisitor())?.ruleId,
      ownLocation(served),
    ];
    expect(rulesAndDestination(held)).toEqual([SPLIT.id, 'https://old.example']);
    expect(rulesAndDestination(table.find('a.example')!)).toEqual([SHARE.id, 'https://new.example']);
    expect([...table.current()!.redirects]).toEqual([after]);
  });

  it('finds hosts by their exact name only', () => {
    const { table } = tableWith('a.example');
    expect(table.find('A.example')).toBeUndefined();
    expect(table.find('b.a.example')).toBeUndefined();
    expect(table.find('__proto__')).toBeUndefined();
    expect(table.find('')).toBeUndefined();
  });

  it('adds, changes and removes hosts by a delta and shows its version', () => {
    const { table } = tableWith('a.example', 'b.example', 'c.example');
    table.find('c.example');
    const untouched = table.find('c.example');
    table.apply({
      version: { epoch: 7, seq: 6 },
      previousSeq: 3,
      changes: [
        { host: 'a.example', redirect: redirectOf('a.example', { destination: 'https://changed.example' }) },
        { host: 'b.example', redirect: null },
        { host: 'd.example', redirect: redirectOf('d.example') },
      ],
    });
    expect(ownLocation(table.find('a.example')!)).toBe('https://changed.example');
    expect(table.find('b.example')).toBeUndefined();
    expect(table.find('c.example')).toBe(untouched);
    expect(table.find('d.example')).toBeDefined();
    expect(table.size).toBe(3);
    expect(table.versionText).toBe('7.6');
  });

  it('lets the last of several changes to one host decide', () => {
    const { table } = tableWith('a.example');
    const again = redirectOf('a.example', { destination: 'https://again.example' });
    table.apply({
      version: { epoch: 7, seq: 5 },
      previousSeq: 3,
      changes: [
        { host: 'a.example', redirect: null },
        { host: 'a.example', redirect: again },
      ],
    });
    expect([...table.current()!.redirects]).toEqual([again]);
  });

  it('goes on with the counts of redirects that it compiles anew because others displaced them', () => {
    const counters = createHitCounters();
    const table = createTestTable(counters, 20_000);
    const hosts = Array.from({ length: 100 }, (_, i) => `host-${i}.example`);
    table.replaceAll({
      version: VERSION,
      redirects: hosts.map((host) => redirectOf(host, { rules: [SHARE] })),
    });
    const seen = new Set<ServedRedirect>();
    for (let round = 0; round < 6; round += 1) {
      for (const host of hosts) {
        const served = table.find(host)!;
        seen.add(served);
        counters.countRequest(served.tally);
      }
    }
    expect(seen.size).toBeGreaterThan(4 * hosts.length);
    const requests = nextCounters(counters.takeChanged()).counters.map((of) => [of.redirectId, of.requests]);
    expect(requests).toEqual(hosts.map((host) => [`id-of-${host}`, 6]));
  });

  it('keeps what is asked for often while many others are asked for once', () => {
    const table = createTestTable(createHitCounters(), 20_000);
    const hosts = Array.from({ length: 500 }, (_, i) => `host-${i}.example`);
    table.replaceAll({ version: VERSION, redirects: hosts.map((host) => redirectOf(host)) });
    table.find('host-0.example');
    const often = table.find('host-0.example');
    for (const host of hosts.slice(1)) table.find(host);
    expect(table.find('host-0.example')).toBe(often);
  });

  it('keeps all hosts that are asked for in turn, as long as there is room', () => {
    const table = createTestTable();
    const hosts = Array.from({ length: 10_000 }, (_, i) => `host-${i}.example`);
    table.replaceAll({ version: VERSION, redirects: hosts.map((host) => redirectOf(host)) });
    const round = () => hosts.map((host) => table.find(host));
    for (let times = 0; times < 3; times += 1) round();
    const kept = new Set(round());
    expect(round().filter((served) => !kept.has(served)).length).toBeLessThan(hosts.length / 100);
  });

  it('serves a redirect that is larger than all compiled ones may be together', () => {
    const table = createTestTable(createHitCounters(), 1_000);
    const rules = Array.from({ length: 50 }, (_, i) => shareOf(i + 1, 10));
    table.replaceAll({ version: VERSION, redirects: [redirectOf('a.example', { rules })] });
    table.find('a.example');
    expect(table.find('a.example')).toBe(table.find('a.example'));
  });

  it('serves a snapshot in the compact form as it is, without reading it', () => {
    const table = createTestTable();
    const redirects = coldFormOf([redirectOf('a.example')]);
    table.replaceAll({ version: VERSION, redirects });
    redirects.set(redirectOf('b.example'));
    expect(table.find('b.example')).toBeDefined();
  });

  it('keeps the old ruleset whole when a new one cannot be taken over', () => {
    const { table } = tableWith('a.example');
    const before = listed(table.current()!);
    const broken = [redirectOf('b.example'), undefined] as never;
    expect(() => table.replaceAll({ version: { epoch: 7, seq: 4 }, redirects: broken })).toThrow();
    expect(() => table.apply({ version: { epoch: 7, seq: 4 }, previousSeq: 3, changes: broken })).toThrow();
    expect(listed(table.current()!)).toEqual(before);
  });
});
