import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import type { SyncStatus } from './synchronizer.js';

/** Report of this process, independent of the transport. */
export interface OwnReport {
  /** Id of this process. It changes with a restart. */
  readonly id: string;
  /** @param nowMs Unix time in milliseconds */
  at(nowMs: number): DataplaneReport;
}

/** @param startedAtMs Unix time in milliseconds */
export function createOwnReport(status: () => SyncStatus, startedAtMs: number): OwnReport {
  const id = randomUUID();
  const startedAt = new Date(startedAtMs).toISOString();
  return {
    id,
    at(nowMs) {
      const { state, version = null, hosts, ageMs, lastError } = status();
      return {
        id,
        host: hostname(),
        pid: process.pid,
        version,
        hosts,
        state,
        ageMs: ageMs === undefined ? null : Math.round(ageMs),
        ...(lastError !== undefined && { lastError }),
        startedAt,
        reportedAt: new Date(nowMs).toISOString(),
      };
    },
  };
}
