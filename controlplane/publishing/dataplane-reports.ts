import { within } from '../../shared/async/deadline.js';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { isOtherHistory, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { AppError } from '../errors/app-error.js';

/** A hung Redis also delays the rate limit by 500 ms, and the answer is due in 2 s. */
const LIST_TIMEOUT_MS = 1_200;

/** Reports of the data planes of this installation. */
export interface DataplaneReports {
  /**
   * Returns the last report of each running data plane, in any order.
   *
   * @throws when the reports cannot be read
   */
  list(): Promise<readonly DataplaneReport[]>;
}

/** A report compared with the newest ruleset. */
export interface DataplaneStanding {
  readonly report: DataplaneReport;
  /** Number of changes that it does not serve yet; null if it serves nothing, or another history. */
  readonly behind: number | null;
}

export interface DataplaneOverview {
  readonly head: RulesetVersion;
  /** Data planes by machine and process. */
  readonly dataplanes: readonly DataplaneStanding[];
}

export interface OverviewDeps {
  readonly reports: DataplaneReports;
  readonly readHead: () => Promise<RulesetVersion>;
}

/** @throws {AppError} SERVICE_UNAVAILABLE when the reports cannot be read in time */
export async function readOverview({ reports, readHead }: OverviewDeps): Promise<DataplaneOverview> {
  // In this order no data plane appears ahead of the head.
  const listed = await listInTime(reports);
  const head = await readHead();
  const dataplanes = listed
    .map((report) => ({ report, behind: behindOf(report, head) }))
    .sort((a, b) => compareText(a.report.host, b.report.host) || a.report.pid - b.report.pid);
  return { head, dataplanes };
}

async function listInTime(reports: DataplaneReports): Promise<readonly DataplaneReport[]> {
  try {
    return await within(LIST_TIMEOUT_MS, 'whoever keeps the reports', reports.list());
  } catch (cause) {
    throw new AppError('SERVICE_UNAVAILABLE', {
      message:
        'What the data planes report cannot be read at the moment; retry shortly. They are not affected.',
      cause,
    });
  }
}

function behindOf({ version }: DataplaneReport, head: RulesetVersion): number | null {
  if (version === null || version.epoch !== head.epoch || isOtherHistory(version, head)) return null;
  return Math.max(0, head.seq - version.seq);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Time of silence after which a data plane counts as gone. */
const EXPIRY_MS = 15_000;
/** Maximum number of processes of one machine. More are not from this product. */
const MAX_DATAPLANES = 256;

/** Data planes that this process runs itself. */
interface LocalDataplanes extends DataplaneReports {
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
