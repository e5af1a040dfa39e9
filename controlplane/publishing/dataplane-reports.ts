import { within } from '../../shared/async/deadline.js';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { isOtherHistory, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { AppError } from '../errors/app-error.js';

const LIST_TIMEOUT_MS = 2_000;

/** Reports of the data planes of this installation. */
export interface DataplaneReports {
  /**
   * The last report of each data plane that has reported lately, in any order.
   *
   * @throws when the reports cannot be read
   */
  list(): Promise<readonly DataplaneReport[]>;
}

/** A report beside the newest ruleset there is. */
export interface DataplaneStanding {
  readonly report: DataplaneReport;
  /** Changes it has yet to serve; null where it serves nothing, or what another history made. */
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

/** @throws {AppError} SERVICE_UNAVAILABLE when there are no reports to be had in time */
export async function readOverview({ reports, readHead }: OverviewDeps): Promise<DataplaneOverview> {
  // In this order nobody is seen ahead of the head.
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
