import { createOwnReport } from '../../dataplane/sync/own-report.js';
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
  const own = createOwnReport(status, Date.now());
  const report = (): void => send(own.at(Date.now()));
  report();
  const timer = setInterval(report, INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
    },
  };
}
