import type { StoredRun } from './stored-run.js';

/** Returns a kept run without figures. */
export function storedRun(changes: Partial<StoredRun> = {}): StoredRun {
  return {
    commit: '0123456789abcdef',
    node: 'v24.1.0',
    cpu: 'Some CPU, 2 cores, Linux x64',
    at: '2026-11-01T12:00:00.000Z',
    pace: 'full',
    seconds: {},
    rows: [],
    reports: {},
    ...changes,
  };
}
