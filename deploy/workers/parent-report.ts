import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { SyncStatus } from '../../dataplane/sync/synchronizer.js';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';

const INTERVAL_MS = 2_000;

/** Tells the control plane in the parent every few seconds what this process serves, until `stop`. */
export function startParentReport({
  status,
  send,
}: {
  readonly status: () => SyncStatus;
  readonly send: (report: DataplaneReport) => void;
}): { stop(): Promise<void> } {
  const id = randomUUID();
  const startedAt = new Date().toISOString();
  const report = (): void => {
    const { state, version = null, ageMs, lastError } = status();
    send({
      id,
      host: hostname(),
      pid: process.pid,
      version,
      state,
      ageMs: ageMs === undefined ? null : Math.round(ageMs),
      ...(lastError !== undefined && { lastError }),
      startedAt,
      reportedAt: new Date().toISOString(),
    });
  };
  report();
  const timer = setInterval(report, INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
    },
  };
}
