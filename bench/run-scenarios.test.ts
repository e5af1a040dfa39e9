import { expect, it, vi } from 'vitest';
import { serverResult } from './report/results.fixture.js';
import { compareTwice, runScenarios } from './run-scenarios.js';
import type { Bench, Scenario } from './scenarios/scenario.js';

const bench = { services: { redisUrl: undefined }, say: () => {} } as unknown as Bench;
vi.spyOn(console, 'log').mockImplementation(() => {});

/** Makes a scenario whose successive runs give these ratios. */
function scenario(name: string, ...ratios: number[]): Scenario {
  return {
    name,
    summary: `of ${name}`,
    run: async () => ({
      results: [serverResult({ scenario: name, ratioToNginx: ratios.shift() ?? Number.NaN })],
      report: '',
    }),
  };
}

const impossible: Scenario = { ...scenario('redis-down'), missing: () => 'Redis is not installed' };

it('a scenario that cannot run here is left out by name', async () => {
  const [outcome] = await runScenarios(bench, [impossible], false);
  expect(outcome?.results).toMatchObject([{ scenario: 'redis-down', skipped: 'Redis is not installed' }]);
  expect(outcome?.report).toBe('Left out: Redis is not installed.');
});

it('a scenario that was asked for by name and cannot run here is an error, before any other runs', async () => {
  const other = scenario('plain', 1);
  const run = vi.spyOn(other, 'run');
  await expect(runScenarios(bench, [other, impossible], true)).rejects.toThrow(
    'redis-down cannot run here: Redis is not installed',
  );
  expect(run).not.toHaveBeenCalled();
});

const stored = { 'plain ratioToNginx wrk': { ratio: 1, band: 0.5 } };

it.each([
  { what: 'good at once', ratios: [1.4], behind: false },
  { what: 'good when it ran again', ratios: [3, 1.4], behind: false },
  { what: 'bad both times', ratios: [3, 1.6], behind: true },
])('a ratio that was $what has fallen behind: $behind', async ({ ratios, behind }) => {
  const [first = 0, ...later] = ratios;
  const measured = { 'plain ratioToNginx wrk': first };
  const compared = await compareTwice(bench, [scenario('plain', ...later)], measured, stored);
  expect(compared.map(({ hasFallenBehind }) => hasFallenBehind)).toEqual([behind]);
});
