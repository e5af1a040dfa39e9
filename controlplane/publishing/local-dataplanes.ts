import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import type { DataplaneReports } from './dataplane-reports.js';

/** Time of silence after which a data plane counts as gone. */
const EXPIRY_MS = 15_000;
/** Maximum number of processes of one machine. More are not from this product. */
const MAX_DATAPLANES = 256;

/** Data planes that this process runs itself. */
export interface LocalDataplanes extends DataplaneReports {
  take(report: DataplaneReport): void;
}

/** @param nowMs Unix time in milliseconds */
export function createLocalDataplanes(nowMs: () => number = Date.now): LocalDataplanes {
  const latest = new Map<string, { readonly report: DataplaneReport; readonly takenAtMs: number }>();

  function forgetSilent(): void {
    for (const [id, { takenAtMs }] of latest) {
      if (nowMs() - takenAtMs > EXPIRY_MS) latest.delete(id);
    }
  }

  return {
    take(report) {
      forgetSilent();
      if (latest.size >= MAX_DATAPLANES && !latest.has(report.id)) return;
      latest.set(report.id, { report, takenAtMs: nowMs() });
    },
    async list() {
      forgetSilent();
      return Array.from(latest.values(), ({ report }) => report);
    },
  };
}
