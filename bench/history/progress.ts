import type { Pace, StoredRun } from './stored-run.js';

/** Reports how far a run is. */
export interface Progress {
  /** Returns a line to print before the scenario with this index begins. */
  lineBefore(index: number): string;
  /** Records the duration of a scenario that has ended. */
  ended(index: number, seconds: number): void;
}

/**
 * Estimates the time left from the kept runs of the same pace. It corrects the estimate by the scenarios that have ended,
 * because machines differ in speed.
 */
export function createProgress(names: readonly string[], runs: readonly StoredRun[], pace: Pace): Progress {
  const expected = names.map((name) => lastDuration(runs, pace, name));
  const taken: number[] = [];
  return {
    lineBefore(index) {
      const place = `scenario ${index + 1} of ${names.length}: ${names[index]}`;
      const left = expected.slice(index);
      const known = left.flatMap((seconds) => seconds ?? []);
      if (known.length === 0) return `${place} (time left unknown: no kept run has these scenarios)`;
      const pattern = known.length < left.length ? 'more than' : 'about';
      return `${place} (${pattern} ${formatDuration(sum(known) * slowness(expected, taken))} left)`;
    },
    ended(index, seconds) {
      taken[index] = seconds;
    },
  };
}

function lastDuration(runs: readonly StoredRun[], pace: Pace, name: string): number | undefined {
  return runs.findLast((run) => run.pace === pace && run.seconds[name] !== undefined)?.seconds[name];
}

/** Duration of the ended scenarios divided by the expected one. */
function slowness(expected: readonly (number | undefined)[], taken: readonly number[]): number {
  const ended = taken.flatMap((seconds, index) => {
    const before = expected[index];
    return before === undefined ? [] : [{ seconds, before }];
  });
  const before = sum(ended.map((one) => one.before));
  return before === 0 ? 1 : sum(ended.map((one) => one.seconds)) / before;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Formats seconds as `40 s`, `3 min` or `1 h 5 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
