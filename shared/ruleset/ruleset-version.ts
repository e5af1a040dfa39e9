import { isCount } from './count.js';

/**
 * Position in the history of all rulesets. `seq` grows by one with every committed change. `epoch` grows when the
 * history starts anew (a database restored from a backup), so that old and new numbers are never mixed up.
 */
export interface RulesetVersion {
  /** Unix time in seconds at which this epoch began. */
  readonly epoch: number;
  readonly seq: number;
  /**
   * `DATABASE-COMMIT`: a random id of the database and one of the commit that made this version. After a restore two
   * histories can reach the same numbers; their lineages differ. Absent in what an older release has written.
   */
  readonly lineage?: string;
  /**
   * Hosts whose removal was committed since the database was made. A ruleset may be smaller than the one it replaces
   * by as many hosts as this number has grown, see `whyNotReplaced`. Absent where `lineage` is.
   */
  readonly removals?: number;
}

const ID_CHARACTERS = 12;
const LINEAGE = new RegExp(`^[0-9a-f]{${ID_CHARACTERS}}-[0-9a-f]{${ID_CHARACTERS}}$`);

/** Negative when `a` is older than `b`, positive when newer, 0 when their numbers are equal. */
export function compareVersions(a: RulesetVersion, b: RulesetVersion): number {
  return a.epoch - b.epoch || a.seq - b.seq;
}

/** Whether two versions name different content by the same numbers. An unknown lineage differs from none. */
export function isOtherHistory(a: RulesetVersion, b: RulesetVersion): boolean {
  return compareVersions(a, b) === 0 && differ(a.lineage, b.lineage);
}

/** Whether two versions come from different databases, as far as their lineages are known. */
export function isOtherDatabase(a: RulesetVersion, b: RulesetVersion): boolean {
  return differ(a.lineage?.slice(0, ID_CHARACTERS), b.lineage?.slice(0, ID_CHARACTERS));
}

/** Whether both are known and not the same. */
export function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** The id of the commit that made `version`; undefined when its lineage is unknown. */
export function commitOf({ lineage }: RulesetVersion): string | undefined {
  return lineage?.slice(ID_CHARACTERS + 1);
}

/** The form in which a version is shown in logs, metrics and hits: `epoch.seq`. */
export function formatVersion(version: RulesetVersion): string {
  return `${version.epoch}.${version.seq}`;
}

/** The form that identifies the content as well: `epoch.seq`, lineage and removals, as far as they are known. */
export function formatIdentity(version: RulesetVersion): string {
  const { lineage, removals } = version;
  return [formatVersion(version), lineage, lineage && removals]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** Whether `value` has the members of a version, whatever else it has. */
export function isVersion(value: unknown): value is RulesetVersion {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, seq, lineage, removals } = value as Record<string, unknown>;
  return (
    isCount(epoch) &&
    isCount(seq) &&
    (lineage === undefined || isLineage(lineage)) &&
    (removals === undefined || isCount(removals))
  );
}

/** The members of a version that `value` has, without any others. */
export function versionIn({ epoch, seq, lineage, removals }: RulesetVersion): RulesetVersion {
  return {
    epoch,
    seq,
    ...(lineage !== undefined && { lineage }),
    ...(removals !== undefined && { removals }),
  };
}

function isLineage(value: unknown): value is string {
  return typeof value === 'string' && LINEAGE.test(value);
}
