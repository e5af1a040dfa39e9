import type { Queryable } from '../../storage/postgres/database.js';
import { UNCERTAIN_MS } from './version-at.js';

/** A version of a redirect, with the start of its service to visitors. */
interface VersionRow {
  readonly version: number;
  /** Time of the change; null if its entry is no longer kept. */
  readonly at: Date | null;
  /** First ruleset that served it; null if data planes got no change, or the ruleset was not recorded. */
  readonly epoch: string | null;
  readonly seq: string | null;
  /** Whether the version is the first one. */
  readonly isCreation: boolean;
}

/** Marks that assign visits of a period to versions, and the version between two marks. */
export interface VersionMarks {
  /** First rulesets of versions, ascending. */
  readonly rulesets: readonly (readonly [epoch: string, seq: string])[];
  /** Times between which visits of the same rulesets belong to different versions, ascending. Unix milliseconds. */
  readonly times: readonly number[];
  /**
   * Returns the version that answered, as `versionAt` finds it; undefined if unknown.
   *
   * @param rulesets marks that are not after the ruleset of the visit
   * @param times marks that are not after the visit
   */
  versionOf(rulesets: number, times: number): number | undefined;
  /** The newest version that was changed within a minute of the start; undefined without one. */
  readonly atStart: number | undefined;
}

/** Maximum number of versions that are counted separately. Visits of earlier ones count as of an unknown version. */
const MAX_VERSIONS = 500;

/** Marks of a redirect with unknown versions. */
export const UNKNOWN_VERSIONS: VersionMarks = {
  rulesets: [],
  times: [],
  versionOf: () => undefined,
  atStart: undefined,
};

/** Reads the marks of the versions that can have answered visits of a period. Times are Unix milliseconds. */
export async function readVersionMarks(
  source: Queryable,
  redirectId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<VersionMarks> {
  const rows = await source.query<VersionRow>(
    `SELECT version, at, epoch::text AS epoch, seq::text AS seq, num_nulls(delta, packed) = 2 AND at IS NOT NULL AS "isCreation"
     FROM (SELECT * FROM served_versions WHERE redirect_id = $1) AS served
     FULL JOIN (SELECT version, at, delta, packed FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
       WHERE redirect_id = $1) AS changed USING (version)
     WHERE at IS NULL OR at < $2 ORDER BY version DESC LIMIT $3`,
    [redirectId, new Date(toMs + UNCERTAIN_MS).toISOString(), MAX_VERSIONS],
  );
  const versions = rows.reverse();
  const first = versions.findIndex(({ seq }) => seq !== null);
  const served = versions.filter(({ seq }) => seq !== null);
  /** Versions whose period is known only by time. */
  const byTime = versions.flatMap(({ version, at, seq, isCreation }, index) => {
    if (seq !== null || at === null) return [];
    const atMs = at.getTime();
    // After a recorded ruleset, versions without one are the same for visitors.
    if (first !== -1 && index > first) return [{ version, sinceMs: atMs, doubtMs: atMs, atMs }];
    const sinceMs = isCreation ? Number.NEGATIVE_INFINITY : atMs + UNCERTAIN_MS;
    return [{ version, sinceMs, doubtMs: isCreation ? sinceMs : atMs - UNCERTAIN_MS, atMs }];
  });
  const times = byTime
    .flatMap(({ sinceMs, doubtMs }) => [doubtMs, sinceMs])
    .filter((timeMs) => timeMs > fromMs && timeMs < toMs);
  const marks = [...new Set(times)].sort((one, other) => one - other);

  return {
    rulesets: served.map(({ epoch, seq }) => [epoch ?? '0', seq ?? '0'] as const),
    times: marks,
    versionOf(rulesets, passed) {
      const version = served[rulesets - 1]?.version ?? 0;
      const next = served[rulesets]?.version ?? Number.POSITIVE_INFINITY;
      const timeMs = marks[passed - 1] ?? fromMs;
      const last = byTime
        .filter((each) => each.version > version && each.version < next && each.doubtMs <= timeMs)
        .at(-1);
      if (last === undefined) return version === 0 ? undefined : version;
      return last.sinceMs <= timeMs ? last.version : undefined;
    },
    atStart: versions
      .filter(
        ({ at, isCreation }) => !isCreation && at !== null && Math.abs(at.getTime() - fromMs) <= UNCERTAIN_MS,
      )
      .at(-1)?.version,
  };
}
