import { describe, expect, it } from 'vitest';
import { createRedirectTallies } from '../hits/redirect-tallies.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { createRulesetTable } from './ruleset-table.js';

const VERSION = { epoch: 7, seq: 3 };

function tableWith(...hosts: string[]) {
  const tallies = createRedirectTallies();
  const table = createRulesetTable({ tallyOf: tallies.of });
  table.replaceAll({ version: VERSION, redirects: hosts.map((host) => redirectOf(host)) });
  return { table, tallies };
}

describe('the ruleset table', () => {
  it('knows the difference between no ruleset and an empty one', () => {
    const table = createRulesetTable({ tallyOf: createRedirectTallies().of });
    expect(table.version).toBeUndefined();
    expect(table.current()).toBeUndefined();
    table.replaceAll({ version: VERSION, redirects: [] });
    expect(table.version).toEqual(VERSION);
    expect(table.current()).toEqual({ version: VERSION, redirects: [] });
  });

  it('compiles a redirect once and gives it the tally of its id', () => {
    const { table, tallies } = tableWith('a.example');
    const served = table.find('a.example');
    expect(served?.redirect.location('/', undefined)).toBe('https://destination.example');
    expect(served?.tally).toBe(tallies.of('id-of-a.example'));
    expect(table.find('a.example')).toBe(served);
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
    expect(table.find('a.example')?.redirect.constantLocation).toBe('https://changed.example');
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
