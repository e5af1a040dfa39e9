import { isCount } from './count.js';

/**
 * Position in the history of all rulesets. `seq` grows by one with every committed change. `epoch` grows when the
 * history starts again (a database restored from a backup), so old and new numbers are never confused.
 */
export interface RulesetVersion {
  /** Unix time in seconds at which this epoch began. */
  readonly epoch: number;
  readonly seq: number;
  /**
   * `DATABASE-COMMIT`: a random id of the database and one of the commit that made this version. After a restore two
   * histories can reach the same numbers; their lineages differ. Absent in versions of an older release.
   */
  readonly lineage?: string;
  /**
   * Number of hosts that were removed since the database was made. A ruleset may be smaller than its predecessor by
   * the growth of this number, see `whyNotReplaced`. Absent without `lineage`.
   */
  readonly removals?: number;
}

const ID_CHARACTERS = 12;
const LINEAGE = new RegExp(`^[0-9a-f]{${ID_CHARACTERS}}-[0-9a-f]{${ID_CHARACTERS}}$`);

/** Returns a negative number when `a` is older than `b`, a positive one when newer, 0 when their numbers are equal. */
export function compareVersions(a: RulesetVersion, b: RulesetVersion): number {
  return a.epoch - b.epoch || a.seq - b.seq;
}

/** Returns whether two versions have the same numbers and different content. An unknown lineage equals any. */
export function isOtherHistory(a: RulesetVersion, b: RulesetVersion): boolean {
  return compareVersions(a, b) === 0 && differ(a.lineage, b.lineage);
}

/** Returns whether two versions come from different databases, as far as their lineages are known. */
export function isOtherDatabase(a: RulesetVersion, b: RulesetVersion): boolean {
  return differ(a.lineage?.slice(0, ID_CHARACTERS), b.lineage?.slice(0, ID_CHARACTERS));
}

/** Returns whether both are known and differ. */
export function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** Returns the id of the commit that made `version`; undefined when its lineage is unknown. */
export function commitOf({ lineage }: RulesetVersion): string | undefined {
  return lineage?.slice(ID_CHARACTERS + 1);
}

/** Formats a version for logs, metrics and hits: `epoch.seq`. */
export function formatVersion(version: RulesetVersion): string {
  return `${version.epoch}.${version.seq}`;
}

/** Formats a version as an identity of its content: `epoch.seq`, and lineage and removals if known. */
export function formatIdentity(version: RulesetVersion): string {
  const { lineage, removals } = version;
  return [formatVersion(version), lineage, lineage && removals]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** Returns whether `value` has the members of a version. */
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

/** Returns only the members of a version. */
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
