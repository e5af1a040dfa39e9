import { describe, expect, it } from 'vitest';
import { checkTableInSteps } from '../../../shared/paths/check-table.js';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import { PLANS } from '../plans/default-plans.js';
import type { Redirect } from '../redirects/public.js';
import { addAll } from './path-import.js';
import { createPathMerge, type PathMerge } from './path-merge.js';
import type { StoredEntry } from './path-table.js';

const STORED = 100_000;
const IMPORTED = 200_000;
const redirect = { fromDomain: 'old.example', toDomain: 'https://new.example' } as Redirect;
const user = { plan: PLANS.business };

interface Measured<Result> {
  readonly result: Result;
  readonly steps: number;
  readonly longestMs: number;
  readonly totalMs: number;
}

/** Runs all steps. Measures processor time, so other processes do not count. */
function measure<Result>(work: Iterator<unknown, Result>): Measured<Result> {
  let [steps, longestMs, totalMs] = [0, 0, 0];
  for (;;) {
    const before = process.cpuUsage();
    const step = work.next();
    const { user, system } = process.cpuUsage(before);
    const tookMs = (user + system) / 1_000;
    totalMs += tookMs;
    longestMs = Math.max(longestMs, tookMs);
    if (step.done === true) return { result: step.value, steps, longestMs, totalMs };
    steps += 1;
  }
}

function storedEntry(at: number): StoredEntry {
  return {
    id: at + 1,
    redirectId: 'r',
    source: at % 100 === 0 ? `/old/${at}/*` : `/old/${at}`,
    query: null,
    destination: `/new/${at}`,
    statusCode: 301,
    queryForwarding: 'inherit',
    pathEnding: 'inherit',
    enabled: true,
    note: '',
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}

const MAX_RUNS = 3;

/** Returns whether others can interrupt the work: no step takes a large part of it. */
function isSmooth({ longestMs, totalMs }: Measured<unknown>): boolean {
  return longestMs < Math.max(50, totalMs / 4);
}

/** Runs work until its steps are small, at most three times: garbage collection can make any step longer. */
function measureSmooth<Result>(work: () => Iterator<unknown, Result>): Measured<Result> {
  let measured = measure(work());
  for (let runs = 1; runs < MAX_RUNS && !isSmooth(measured); runs += 1) measured = measure(work());
  return measured;
}

function expectSmallSteps(measured: Measured<unknown>, entries: number): void {
  expect(measured.steps).toBeGreaterThanOrEqual(entries / 64 - 1);
  expect(measured).toSatisfy(isSmooth);
}

describe('a merge of large tables', () => {
  it('lets other work in between', () => {
    const stored = Array.from({ length: STORED }, (_, at) => storedEntry(at));
    const values = Array.from({ length: IMPORTED }, (_, at) => ({
      source: `/old/${at}`,
      destination: `/other/${at}`,
    }));
    const made = () => createPathMerge(redirect, DEFAULT_PATH_OPTIONS, stored);
    expectSmallSteps(measureSmooth(made), STORED);
    const added = measureSmooth(() => addAll(measure(made()).result, values, [], user));
    expectSmallSteps(added, IMPORTED);
    expect(added.result.filter(({ status }) => status === 'updated').length).toBe(STORED * 0.99);
    let merge: PathMerge | undefined;
    const dropped = measureSmooth(() => {
      merge = measure(made()).result;
      measure(addAll(merge, values, [], user));
      return merge.dropCostly();
    });
    expectSmallSteps(dropped, STORED);
    expect(merge?.entries().length).toBe(STORED);
  });
});

describe('the check of a large table', () => {
  it('lets other work in between', () => {
    const entries = Array.from({ length: STORED }, (_, at) => storedEntry(at));
    const checked = measureSmooth(() =>
      checkTableInSteps(entries, DEFAULT_PATH_OPTIONS, {
        host: 'old.example',
        destination: 'https://old.example',
        queryForwarding: false,
      }),
    );
    expectSmallSteps(checked, STORED);
    expect(checked.result).toHaveProperty('diagnostics', []);
  });
});
