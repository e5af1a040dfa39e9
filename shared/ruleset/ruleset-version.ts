import { isCount } from './count.js';

/**
 * Position in the history of all rulesets. `seq` grows by one with every committed change; `epoch` grows when
 * that history starts anew (a database restored from a backup), so that old and new numbers are never mixed up.
 */
export interface RulesetVersion {
  /** Unix time in seconds at which this history began. */
  readonly epoch: number;
  readonly seq: number;
}

/** Negative when `a` is older than `b`, positive when newer, 0 when equal. */
export function compareVersions(a: RulesetVersion, b: RulesetVersion): number {
  return a.epoch - b.epoch || a.seq - b.seq;
}

/** The form in which a version is shown in logs, metrics and hits: `epoch.seq`. */
export function formatVersion(version: RulesetVersion): string {
  return `${version.epoch}.${version.seq}`;
}

/** Whether `value` has the numbers of a version, whatever else it has. */
export function isVersion(value: unknown): value is RulesetVersion {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, seq } = value as Record<string, unknown>;
  return isCount(epoch) && isCount(seq);
}
