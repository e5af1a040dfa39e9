import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';

/** A report of a healthy data plane, except for the given values. */
export function reportOf(id: string, given: Partial<DataplaneReport> = {}): DataplaneReport {
  return {
    id,
    host: 'edge-1',
    pid: 100,
    version: { epoch: 1_700_000_000, seq: 10 },
    state: 'live',
    ageMs: 250,
    startedAt: '2026-01-02T03:04:05.678Z',
    reportedAt: '2026-01-02T03:05:05.678Z',
    ...given,
  };
}
