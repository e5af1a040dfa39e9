import { isCount } from './count.js';
import { isVersion, type RulesetVersion, versionIn } from './ruleset-version.js';

export const DATAPLANE_STATES = ['cold', 'live', 'resync', 'stale'] as const;

/**
 * State of a data plane's ruleset.
 *
 * - `cold`: there is no ruleset, so visitors cannot be answered.
 * - `live`: the newest known ruleset is served.
 * - `resync`: changes were missed; the last good ruleset is served until a snapshot arrives.
 * - `stale`: the last good ruleset is served without confirmation by the feed: after a start from disk, because a
 * snapshot does not arrive, or because the feed is silent.
 */
export type DataplaneState = (typeof DATAPLANE_STATES)[number];

/** Report of one data-plane process on its ruleset. */
export interface DataplaneReport {
  /** Id of the process. It changes with a restart. */
  readonly id: string;
  /** Name of its machine. */
  readonly host: string;
  readonly pid: number;
  /** The served version; null while the process serves nothing. */
  readonly version: RulesetVersion | null;
  /** Number of hosts it serves. Absent in reports of an older release. */
  readonly hosts?: number;
  readonly state: DataplaneState;
  /** Time from the last confirmation of the served ruleset to `reportedAt`; null while cold. */
  readonly ageMs: number | null;
  /** Problem in words for an operator, without secrets. */
  readonly lastError?: string;
  /** ISO 8601, by the data plane's clock. */
  readonly startedAt: string;
  /** ISO 8601, by the data plane's clock. */
  readonly reportedAt: string;
}

/** Maximum length of an encoded report. */
export const MAX_REPORT_CHARACTERS = 8 * 1024;

const MAX_NAME_CHARACTERS = 255;
const MAX_ERROR_CHARACTERS = 1_000;

/** Encodes a report. An overlong error is cut. */
export function encodeDataplaneReport(report: DataplaneReport): string {
  const { lastError, ...facts } = report;
  if (lastError === undefined) return JSON.stringify(facts);
  return JSON.stringify({ ...facts, lastError: lastError.slice(0, MAX_ERROR_CHARACTERS) });
}

/** Decodes a report; undefined for anything else. Drops unknown members. Never throws. */
export function parseDataplaneReport(text: string): DataplaneReport | undefined {
  if (text.length > MAX_REPORT_CHARACTERS) return undefined;
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, host, pid, version, hosts, state, ageMs, lastError, startedAt, reportedAt } = value as Record<
    string,
    unknown
  >;
  if (!isName(id) || !isName(host) || !isCount(pid)) return undefined;
  if (version !== null && !isVersion(version)) return undefined;
  if (!isState(state) || (hosts !== undefined && !isCount(hosts))) return undefined;
  if (ageMs !== null && !isCount(ageMs)) return undefined;
  if (!isMoment(startedAt) || !isMoment(reportedAt)) return undefined;
  const known = version && versionIn(version);
  const size = hosts === undefined ? {} : { hosts };
  const report = { id, host, pid, version: known, ...size, state, ageMs, startedAt, reportedAt };
  if (lastError === undefined) return report;
  return typeof lastError === 'string' && lastError.length <= MAX_ERROR_CHARACTERS
    ? { ...report, lastError }
    : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARACTERS;
}

function isState(value: unknown): value is DataplaneState {
  return DATAPLANE_STATES.some((state) => state === value);
}

/** Matches the form of `Date.prototype.toISOString`. */
function isMoment(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value;
}
