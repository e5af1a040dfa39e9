import { describe, expect, it } from 'vitest';
import { createTestVisitor } from '../../shared/rules/visitor.fixture.js';
import { createRedirectTallies } from '../hits/redirect-tallies.js';
import { createRuleTallies } from '../hits/rule-tallies.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { shareOf, splitOf } from './rule-definition.fixture.js';
import { createTestTable } from './ruleset-table.fixture.js';

const VERSION = { epoch: 7, seq: 3 };

function tableWith(...hosts: string[]) {
  const tallies = createRedirectTallies();
  const table = createTestTable(tallies);
  table.replaceAll({ version: VERSION, redirects: hosts.map((host) => redirectOf(host)) });
  return { table, tallies };
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
    expect(table.current()).toEqual({ version: VERSION, redirects: [] });
  });

  it('compiles a redirect once and gives it the tally of its id', () => {
    const { table, tallies } = tableWith('a.example');
    const served = table.find('a.example');
    expect(served?.redirect.routeOf(undefined).constantLocation).toBe('https://destination.example');
    expect(served?.tally).toBe(tallies.of('id-of-a.example'));
    expect(table.find('a.example')).toBe(served);
  });

  it('gives each outcome of the rules the tally of its rule and variant', () => {
    const ruleTallies = createRuleTallies();
    const table = createTestTable(createRedirectTallies(), ruleTallies);
    const redirects = [redirectOf('a.example', { id: 'r1', rules: [SPLIT, SHARE] }), redirectOf('b.example')];
    table.replaceAll({ version: VERSION, redirects });
    const served = table.find('a.example')!;
    const outcomes = served.redirect.matcher!.outcomes;
    expect(outcomes.map(({ variant }) => variant)).toEqual(['a', 'b', '', '']);
    for (const { index, ruleId, variant } of outcomes) {
      expect(served.ruleTallies[index]).toBe(ruleTallies.of('r1', ruleId, variant));
    }
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
    const rulesAndDestination = ({ redirect }: typeof held) => [
      redirect.matcher?.decide(createTestVisitor())?.ruleId,
      redirect.routeOf(undefined).constantLocation,
    ];
    expect(rulesAndDestination(held)).toEqual([SPLIT.id, 'https://old.example']);
    expect(rulesAndDestination(table.find('a.example')!)).toEqual([SHARE.id, 'https://new.example']);
    expect(table.current()?.redirects).toEqual([after]);
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
    expect(table.find('a.example')?.redirect.routeOf(undefined).constantLocation).toBe(
      'https://changed.example',
    );
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
    expect(table.current()?.redirects).toEqual([again]);
  });

  it('keeps the old ruleset whole when a new one cannot be taken over', () => {
    const { table } = tableWith('a.example');
    const before = table.current();
    const broken = [redirectOf('b.example'), undefined] as never;
    expect(() => table.replaceAll({ version: { epoch: 7, seq: 4 }, redirects: broken })).toThrow();
    expect(() => table.apply({ version: { epoch: 7, seq: 4 }, previousSeq: 3, changes: broken })).toThrow();
    expect(table.current()).toEqual(before);
  });
});
