import { expect, it } from 'vitest';
import { serverResult } from '../report/results.fixture.js';
import { emptyRow } from '../scenarios/results.js';
import { betterOf, compareRatios, describeComparison } from './compare.js';
import { ratiosOf, scenarioOf } from './ratios.js';

it.each([
  { measured: 1.49, fell: false },
  { measured: 1.5, fell: true },
  { measured: 0.5, fell: false },
  { measured: Number.NaN, fell: true },
])('$measured has fallen behind a stored 1: $fell', ({ measured, fell }) => {
  const [compared] = compareRatios({ 'plain ratioToNginx wrk': measured }, { 'plain ratioToNginx wrk': 1 });
  expect(compared?.hasFallenBehind).toBe(fell);
});

it('only what both runs have measured in the same way is compared', () => {
  const compared = compareRatios({ one: 1, other: 9 }, { one: 1, third: 1 });
  expect(compared.map(({ name }) => name)).toEqual(['one']);
});

it('a run that has nothing in common with the baseline does not pass', () => {
  expect(() => compareRatios({ one: 1 }, { other: 1 })).toThrow('none of the ratios');
});

it('of two runs the better ratio counts', () => {
  expect(betterOf({ one: 2, other: 1 }, { one: 1.2 })).toEqual({ one: 1.2, other: 1 });
});

it('the comparison says what is too much', () => {
  const text = describeComparison(compareRatios({ one: 2, other: 1 }, { one: 1, other: 1 }));
  expect(text.split('\n')).toEqual([
    'one: 2.00, 2.00 × the stored 1.00, which is too much',
    'other: 1.00, 1.00 × the stored 1.00',
  ]);
});

it('ratios are those of our own rows, named by all that has a part in them', () => {
  const ratios = ratiosOf([
    serverResult({ scenario: 'plain', ratioToNginx: 1.25, ratioToUws: null }),
    serverResult({ scenario: 'plain', server: 'nginx', ratioToNginx: 1 }),
    serverResult({ scenario: 'rules-10-sampled', sink: 'kafka', ratioToNginx: 2, ratioToUws: 3 }),
    { ...emptyRow('rules-1000'), skipped: 'not here' },
  ]);
  expect(ratios).toEqual({
    'plain ratioToNginx wrk': 1.25,
    'rules-10-sampled ratioToNginx wrk kafka': 2,
    'rules-10-sampled ratioToUws wrk kafka': 3,
  });
  expect(Object.keys(ratios).map(scenarioOf)).toEqual(['plain', 'rules-10-sampled', 'rules-10-sampled']);
});
