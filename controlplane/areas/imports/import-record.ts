import type { Import } from './import.js';
import type { ImportRecord } from './import-schema.js';

/** Returns an import as the API shows it. */
export function importRecord(one: Import, nowMs = Date.now()): ImportRecord {
  const { id, kind, format, mode, dryRun, redirectId, state, total, counts, error } = one;
  const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const rowsPerSecond = rateOf(one, done, nowMs);
  return {
    id,
    kind,
    format,
    mode,
    dryRun,
    redirectId,
    state,
    rows: { total, done, ...counts },
    rowsPerSecond,
    secondsLeft: secondsLeft(one, total - done, rowsPerSecond),
    error,
    createdAt: one.createdAt.toISOString(),
    startedAt: one.startedAt?.toISOString() ?? null,
    finishedAt: one.finishedAt?.toISOString() ?? null,
  };
}

function rateOf({ startedAt, finishedAt }: Import, done: number, nowMs: number): number {
  if (startedAt === null || done === 0) return 0;
  const seconds = Math.max((finishedAt?.getTime() ?? nowMs) - startedAt.getTime(), 1) / 1_000;
  return Math.round((done / seconds) * 10) / 10;
}

function secondsLeft({ state }: Import, left: number, rowsPerSecond: number): number | null {
  if (state === 'finished') return 0;
  if (state !== 'running' || rowsPerSecond === 0) return null;
  return Math.ceil(left / rowsPerSecond);
}
