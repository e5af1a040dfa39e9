import { describe, expect, it } from 'vitest';
import { checkTableInSteps } from '../../../shared/paths/check-table.js';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import { PLANS } from '../plans/default-plans.js';
import type { Redirect } from '../redirects/public.js';
import { addAll } from './path-import.js';
import { createPathMerge } from './path-merge.js';
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

/** Runs steps to their end. Times are those of the processor, so that other processes do not count. */
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

/** Repetitions: a collection of garbage, whose threads count too, can fall into one step, but not in each run. */
const AGAIN = { retry: 2 };

/** Expects work that others can interrupt: many steps, none of which takes a large part of it. */
function expectSmallSteps({ steps, longestMs, totalMs }: Measured<unknown>, entries: number): void {
  expect(steps).toBeGreaterThanOrEqual(entries / 64 - 1);
  expect(longestMs).toBeLessThan(Math.max(50, totalMs / 4));
}

describe('a merge of large tables', () => {
  it('lets other work in between', AGAIN, () => {
    const stored = Array.from({ length: STORED }, (_, at) => storedEntry(at));
    const values = Array.from({ length: IMPORTED }, (_, at) => ({
      source: `/old/${at}`,
      destination: `/other/${at}`,
    }));
    const made = measure(createPathMerge(redirect, DEFAULT_PATH_OPTIONS, stored));
    expectSmallSteps(made, STORED);
    const added = measure(addAll(made.result, values, [], user));
    expectSmallSteps(added, IMPORTED);
    expect(added.result.filter(({ status }) => status === 'updated').length).toBe(STORED * 0.99);
    expectSmallSteps(measure(made.result.dropCostly()), STORED);
    expect(made.result.entries().length).toBe(STORED);
  });
});

describe('the check of a large table', () => {
  it('lets other work in between', AGAIN, () => {
    const entries = Array.from({ length: STORED }, (_, at) => storedEntry(at));
    const checked = measure(
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
