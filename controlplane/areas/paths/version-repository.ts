import type { PathOptions } from '../../../shared/paths/path-entry.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { OPTIONS, SETTING_COLUMNS, SETTINGS, settingArrays, settingArrayTypes } from './path-columns.js';
import type { EntrySettings, ReturningEntry, StoredTable } from './path-table.js';

/** A table in addition to the live one. */
export type VersionKind = 'staged' | 'previous';

export interface StoredVersion {
  readonly options: PathOptions;
  readonly entryCount: number;
  readonly createdAt: Date;
}

/** One difference between the live table and the staged one. */
export interface EntryDifference {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly live: EntrySettings | null;
  readonly staged: EntrySettings | null;
}

export interface Differences {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

interface VersionEntryRow extends EntrySettings {
  readonly earlierId: number | null;
  readonly createdAt: Date | null;
}

/** Entries per statement. The embedded database blocks the process during a statement. */
const ENTRIES_PER_STATEMENT = 1_000;

/** Numbers entries with the same source, conditions and ending by their order. */
const nth = (order: string) =>
  `row_number() OVER (PARTITION BY source, coalesce(query, 'null'), coalesce(path_ending, '') ORDER BY ${order}) AS nth`;
/** Pairs of live and staged entries. $1 is the redirect. */
const PAIRS = `(
  SELECT coalesce(live.source, staged.source) AS source, coalesce(live.query, staged.query)::text AS query,
    coalesce(live."pathEnding", staged."pathEnding") AS ending, coalesce(live.nth, staged.nth) AS nth,
    CASE WHEN live.nth IS NULL THEN 'added' WHEN staged.nth IS NULL THEN 'removed'
      WHEN (live.destination, live."statusCode", live."queryForwarding", live.enabled, live.note)
        IS DISTINCT FROM (staged.destination, staged."statusCode", staged."queryForwarding", staged.enabled, staged.note)
      THEN 'changed' ELSE 'unchanged' END AS kind,
    CASE WHEN live.nth IS NOT NULL THEN to_jsonb(live) - 'nth' END AS live,
    CASE WHEN staged.nth IS NOT NULL THEN to_jsonb(staged) - 'nth' END AS staged
  FROM (SELECT ${SETTINGS}, ${nth('id')} FROM path_entries WHERE redirect_id = $1) AS live
    FULL JOIN (SELECT ${SETTINGS}, ${nth('position')} FROM path_version_entries
      WHERE redirect_id = $1 AND kind = 'staged') AS staged
    ON live.source = staged.source AND coalesce(live.query, 'null') = coalesce(staged.query, 'null')
      AND live."pathEnding" = staged."pathEnding" AND live.nth = staged.nth) AS pairs`;

/** All SQL about staged and previous tables. Writers hold the lock of the redirect's row. */
export const versionRepository = {
  async find(source: Queryable, redirectId: string, kind: VersionKind): Promise<StoredVersion | undefined> {
    const [version] = await source.query<StoredVersion>(
      `SELECT ${OPTIONS} AS options, entry_count AS "entryCount", created_at AS "createdAt" FROM path_versions
       WHERE redirect_id = $1 AND kind = $2`,
      [redirectId, kind],
    );
    return version;
  },

  /** Replaces the staged table. */
  async stage(
    tx: Queryable,
    redirectId: string,
    options: PathOptions,
    entries: readonly EntrySettings[],
  ): Promise<void> {
    await insertVersion(tx, redirectId, 'staged', options, entries.length);
    for (let at = 0; at < entries.length; at += ENTRIES_PER_STATEMENT) {
      const some = entries.slice(at, at + ENTRIES_PER_STATEMENT);
      await tx.query(
        `INSERT INTO path_version_entries (redirect_id, kind, position, ${SETTING_COLUMNS})
         SELECT $1, 'staged', $2 + nth, source, query::jsonb, destination, status_code, query_forwarding, path_ending,
           enabled, note
         FROM unnest(${settingArrayTypes(3)}) WITH ORDINALITY AS entry (${SETTING_COLUMNS}, nth)`,
        [redirectId, at, ...settingArrays(some)],
      );
    }
  },

  /** Keeps the live table as the previous one. */
  async keepPrevious(tx: Queryable, { redirectId, options, entryCount }: StoredTable): Promise<void> {
    await insertVersion(tx, redirectId, 'previous', options, entryCount);
    for (let last: number | null = 0, position = 0; last !== null; position += ENTRIES_PER_STATEMENT) {
      const [row]: { last: number | null }[] = await tx.query(
        `WITH part AS (SELECT * FROM path_entries WHERE redirect_id = $1 AND id > $2 ORDER BY id LIMIT $3),
           kept AS (INSERT INTO path_version_entries (redirect_id, kind, position, entry_id, created_at, ${SETTING_COLUMNS})
             SELECT redirect_id, 'previous', $4 + row_number() OVER (ORDER BY id), id, created_at, ${SETTING_COLUMNS} FROM part)
         SELECT max(id) AS last FROM part`,
        [redirectId, last, ENTRIES_PER_STATEMENT, position],
      );
      last = row?.last ?? null;
    }
  },

  /**
   * Returns all entries in their order. They must not change during the read. Positions start at 1 and have no gaps.
   */
  async entriesOf(source: Queryable, redirectId: string, kind: VersionKind): Promise<ReturningEntry[]> {
    const entries: ReturningEntry[] = [];
    for (;;) {
      const rows = await source.query<VersionEntryRow>(
        `SELECT entry_id AS "earlierId", created_at AS "createdAt", ${SETTINGS} FROM path_version_entries
         WHERE redirect_id = $1 AND kind = $2 AND position > $3 ORDER BY position LIMIT $4`,
        [redirectId, kind, entries.length, ENTRIES_PER_STATEMENT],
      );
      for (const row of rows) entries.push(toReturning(row));
      if (rows.length < ENTRIES_PER_STATEMENT) return entries;
    }
  },

  /** Returns up to `limit` entries of the staged table after a position. Positions start at 1 and have no gaps. */
  stagedPage(source: Queryable, redirectId: string, after: number, limit: number): Promise<EntrySettings[]> {
    return source.query<EntrySettings>(
      `SELECT ${SETTINGS} FROM path_version_entries
       WHERE redirect_id = $1 AND kind = 'staged' AND position > $2 ORDER BY position LIMIT $3`,
      [redirectId, after, limit],
    );
  },

  /** Removes a table. Resolves to whether it existed. */
  async remove(tx: Queryable, redirectId: string, kind: VersionKind): Promise<boolean> {
    for (let last: number | null = 0; last !== null; ) {
      const [row]: { last: number | null }[] = await tx.query(
        `WITH part AS (SELECT position FROM path_version_entries WHERE redirect_id = $1 AND kind = $2 AND position > $3
             ORDER BY position LIMIT $4),
           gone AS (DELETE FROM path_version_entries WHERE redirect_id = $1 AND kind = $2
             AND position > $3 AND position <= (SELECT max(position) FROM part))
         SELECT max(position) AS last FROM part`,
        [redirectId, kind, last, ENTRIES_PER_STATEMENT],
      );
      last = row?.last ?? null;
    }
    const rows = await tx.query(
      'DELETE FROM path_versions WHERE redirect_id = $1 AND kind = $2 RETURNING kind',
      [redirectId, kind],
    );
    return rows.length > 0;
  },

  async countDifferences(source: Queryable, redirectId: string): Promise<Differences> {
    const rows = await source.query<{ kind: keyof Differences; entries: number }>(
      `SELECT kind, count(*)::int AS entries FROM ${PAIRS} GROUP BY kind`,
      [redirectId],
    );
    const counts = Object.fromEntries(rows.map(({ kind, entries }) => [kind, entries]));
    return { added: 0, changed: 0, removed: 0, unchanged: 0, ...counts };
  },

  /** Returns up to `limit` differences by source, conditions and ending, without the first `skipped`. */
  differences(
    source: Queryable,
    redirectId: string,
    skipped: number,
    limit: number,
  ): Promise<EntryDifference[]> {
    return source.query<EntryDifference>(
      `SELECT kind, live, staged FROM ${PAIRS} WHERE kind <> 'unchanged'
       ORDER BY source, query NULLS FIRST, nullif(ending, 'inherit') NULLS FIRST, nth OFFSET $2 LIMIT $3`,
      [redirectId, skipped, limit],
    );
  },
};

async function insertVersion(
  tx: Queryable,
  redirectId: string,
  kind: VersionKind,
  { ignoreCase, ignoreTrailingSlash, unmatched }: PathOptions,
  entryCount: number,
): Promise<void> {
  await versionRepository.remove(tx, redirectId, kind);
  await tx.query(
    `INSERT INTO path_versions (redirect_id, kind, ignore_case, ignore_trailing_slash, unmatched, entry_count)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [redirectId, kind, ignoreCase, ignoreTrailingSlash, unmatched, entryCount],
  );
}

function toReturning({ earlierId: id, createdAt, ...settings }: VersionEntryRow): ReturningEntry {
  return { ...settings, ...(id !== null && createdAt !== null && { earlier: { id, createdAt } }) };
}
