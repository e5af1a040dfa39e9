import { expect, it } from 'vitest';
import { serverResult } from '../report/results.fixture.js';
import { emptyRow } from '../scenarios/results.js';
import { baselineOf } from './baseline.js';
import { betterOf, compareRatios, describeComparison } from './compare.js';
import { ratiosOf, scenarioOf } from './ratios.js';

it.each([
  { measured: 1.3, fell: false },
  { measured: 1.31, fell: true },
  { measured: 0.5, fell: false },
  { measured: Number.NaN, fell: true },
])('a ratio of $measured is worse than a stored 1 with a band of 0.3: $fell', ({ measured, fell }) => {
  const [compared] = compareRatios({ 'plain ratioToNginx wrk': measured }, bandsOf({ plain: 1 }));
  expect(compared?.hasFallenBehind).toBe(fell);
});

it('compares only what both runs have measured in the same way', () => {
  const compared = compareRatios({ one: 1, other: 9 }, { one: stored(1), third: stored(1) });
  expect(compared.map(({ name }) => name)).toEqual(['one']);
});

it('refuses a run that has nothing in common with the baseline', () => {
  expect(() => compareRatios({ one: 1 }, { other: stored(1) })).toThrow('none of the ratios');
});

it('takes the better ratio of two runs', () => {
  expect(betterOf({ one: 2, other: 1 }, { one: 1.2 })).toEqual({ one: 1.2, other: 1 });
});

it('says which ratio is outside its band', () => {
  const text = describeComparison(compareRatios({ one: 2, other: 1 }, { one: stored(1), other: stored(1) }));
  expect(text.split('\n')).toEqual([
    'one: 2.00, 2.00 × the stored 1.00 (limit 1.30): worse than its noise band',
    'other: 1.00, 1.00 × the stored 1.00 (limit 1.30)',
  ]);
});

it.each([
  { values: [1, 1.01, 1.02], ratio: 1.01, band: 0.3 },
  { values: [1, 1.2, 1.1], ratio: 1.1, band: 0.364 },
  { values: [1, 3, 2], ratio: 2, band: 0.5 },
  { values: [1], ratio: 1, band: 0.3 },
])('a baseline of $values is $ratio with a band of $band', ({ values, ratio, band }) => {
  expect(baselineOf(values.map((one) => ({ one })))).toEqual({ one: { ratio, band } });
});

it('names ratios by all that influences them', () => {
  const ratios = ratiosOf([
    serverResult({ scenario: 'plain', ratioToNginx: 1.25, ratioToUws: null }),
    serverResult({ scenario: 'plain', server: 'nginx', ratioToNginx: 1 }),
    serverResult({ scenario: 'rules-10-sampled', sink: 'kafka', ratioToNginx: 2, ratioToUws: 3 }),
    { ...emptyRow('tls-new-visitor'), ratioToNginx: 0.7 },
    { ...emptyRow('tls-new-visitor', 'waymark, kept-alive'), ratioToNginx: 1.01 },
    emptyRow('rules-1000'),
  ]);
  expect(ratios).toEqual({
    'plain ratioToNginx wrk': 1.25,
    'rules-10-sampled ratioToNginx wrk kafka': 2,
    'rules-10-sampled ratioToUws wrk kafka': 3,
    'tls-new-visitor ratioToNginx': 0.7,
    'tls-new-visitor kept-alive ratioToNginx': 1.01,
  });
  expect(new Set(Object.keys(ratios).map(scenarioOf))).toEqual(
    new Set(['plain', 'rules-10-sampled', 'tls-new-visitor']),
  );
});

function stored(ratio: number) {
  return { ratio, band: 0.3 };
}

function bandsOf({ plain }: { plain: number }) {
  return { 'plain ratioToNginx wrk': stored(plain) };
}
