import { memoryPages } from '../../../shared/paths/memory-pages.js';
import type { PathShape } from '../../../shared/paths/path-key.js';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import { servesHost } from '../../../shared/paths/publish-table.js';
import { type PublishedPage, type PublishedPaths, pageKey } from '../../../shared/paths/published-paths.js';
import { HAS_TAKEDOWNS } from '../../publishing/taken-down.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import {
  OPTIONS,
  SETTING_COLUMNS,
  SETTINGS,
  settingArrays,
  settingArrayTypes,
  settingValues,
} from './path-columns.js';
import type { EntrySettings, StoredEntry, StoredTable } from './path-table.js';

const COLUMNS = `id, redirect_id AS "redirectId", ${SETTINGS}, created_at AS "createdAt", updated_at AS "updatedAt"`;

export interface EntryTexts {
  readonly id: number;
  readonly source: string;
  readonly destination: string | null;
}

/** An entry with the keys of its look-up. */
export interface PlacedEntry extends EntrySettings {
  readonly id: number;
  readonly hash: number;
  readonly shape: PathShape;
  /** Creation time of the entry that it replaces; undefined for the current time. */
  readonly createdAt?: Date;
}

export interface EntryPage {
  readonly after: number;
  readonly limit: number;
  /** Part of source, destination or note, in any case; empty for all. */
  readonly search: string;
}

/** Returns the statement for the entries of a redirect with a condition. `$1` is the redirect; parameters begin with `$2`. */
function entriesWhere<Params extends readonly unknown[] = []>(condition: string) {
  const sql = `SELECT ${COLUMNS} FROM path_entries WHERE redirect_id = $1 AND ${condition}`;
  return (source: Queryable, redirectId: string, ...params: Params): Promise<StoredEntry[]> =>
    source.query<StoredEntry>(sql, [redirectId, ...params]);
}

const entriesWithId = entriesWhere<[id: number]>('id = $2');
const entriesAfter = entriesWhere<[after: number, limit: number]>('id > $2 ORDER BY id LIMIT $3');

/** Entries per statement. The embedded database blocks the process during a statement. */
const ENTRIES_PER_STATEMENT = 1_000;
/** Pages per statement. A page has some dozen entries. */
const PAGES_PER_STATEMENT = 64;

/** All SQL about tables of paths, except that of publishing. Writers hold the lock of the redirect's row. */
export const pathRepository = {
  async findTable(source: Queryable, redirectId: string): Promise<StoredTable | undefined> {
    const [table] = await source.query<StoredTable>(
      `SELECT redirect_id AS "redirectId", salt, ${OPTIONS} AS options, entry_count AS "entryCount", version, published
       FROM path_tables WHERE redirect_id = $1`,
      [redirectId],
    );
    return table;
  },

  /** Saves the table. Resolves to whether a takedown of a destination exists; it can affect the whole redirect. */
  async saveTable(tx: Queryable, table: StoredTable): Promise<boolean> {
    const { redirectId, salt, options, entryCount, version, published } = table;
    const [row] = await tx.query<{ has_takedowns: boolean }>(
      `INSERT INTO path_tables (redirect_id, salt, ignore_case, ignore_trailing_slash, unmatched, entry_count, published, version)
       VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)
       ON CONFLICT (redirect_id) DO UPDATE SET ignore_case = $3, ignore_trailing_slash = $4, unmatched = $5,
         entry_count = $6, published = $7::jsonb, version = $8
       RETURNING ${HAS_TAKEDOWNS} AS has_takedowns`,
      [
        redirectId,
        salt,
        options.ignoreCase,
        options.ignoreTrailingSlash,
        options.unmatched,
        entryCount,
        published === null ? null : JSON.stringify(published),
        version,
      ],
    );
    await tx.query('UPDATE redirects SET path_count = $2 WHERE id = $1 AND path_count <> $2', [
      redirectId,
      entryCount,
    ]);
    return row?.has_takedowns === true;
  },

  pageOfEntries(
    source: Queryable,
    redirectId: string,
    { after, limit, search }: EntryPage,
  ): Promise<StoredEntry[]> {
    return source.query<StoredEntry>(
      `SELECT ${COLUMNS} FROM path_entries WHERE redirect_id = $1 AND id > $2
         AND ($4 = '' OR strpos(lower(source || ' ' || coalesce(destination, '') || ' ' || note), lower($4)) > 0)
       ORDER BY id LIMIT $3`,
      [redirectId, after, limit, search],
    );
  },

  /** Returns all entries by id. They must not change during the read. */
  async allEntries(source: Queryable, redirectId: string): Promise<StoredEntry[]> {
    const entries: StoredEntry[] = [];
    for (let after = 0; ; ) {
      const rows = await entriesAfter(source, redirectId, after, ENTRIES_PER_STATEMENT);
      for (const row of rows) entries.push(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < ENTRIES_PER_STATEMENT) return entries;
      after = last.id;
    }
  },

  async findEntry(source: Queryable, redirectId: string, id: number): Promise<StoredEntry | undefined> {
    const [entry] = await entriesWithId(source, redirectId, id);
    return entry;
  },

  /** Returns the enabled entries. They must not change during the read. */
  async allEnabled(tx: Queryable, redirectId: string): Promise<StoredEntry[]> {
    return (await this.allEntries(tx, redirectId)).filter(({ enabled }) => enabled);
  },

  /** Returns the enabled entries whose hashes are from `first` to `last`. */
  enabledBetween: entriesWhere<[first: number, last: number]>('hash BETWEEN $2 AND $3 AND enabled'),

  /** Returns the enabled entries with one of some hashes. */
  enabledWithHashes: entriesWhere<[hashes: readonly number[]]>('hash = ANY($2::bigint[]) AND enabled'),

  /**
   * Returns up to `limit` enabled entries, the oldest first, whose destination can be on a host of the redirect. These are URLs that
   * contain its name, and URLs whose host is not written in plain ASCII. If the destination of the redirect is on its own host, these
   * are also paths.
   */
  enabledLeadingTo(
    tx: Queryable,
    { id, fromDomain, toHost }: Pick<Redirect, 'id' | 'fromDomain' | 'toHost'>,
    limit: number,
  ): Promise<StoredEntry[]> {
    const host = fromDomain.startsWith('*.') ? fromDomain.slice(1) : fromDomain;
    return tx.query<StoredEntry>(
      `SELECT ${COLUMNS} FROM path_entries WHERE redirect_id = $1 AND enabled AND CASE
         WHEN destination LIKE '/%' THEN $3
         ELSE strpos(lower(destination), $2) > 0 OR destination ~ '^[^/]*//[^/?#]*[^!-$&-~]' END
       ORDER BY id LIMIT $4`,
      [id, host, servesHost(fromDomain, toHost), limit],
    );
  },

  /** Returns the enabled entries with query conditions. */
  enabledWithQuery: entriesWhere('enabled AND query IS NOT NULL'),

  async shapesOf(tx: Queryable, redirectId: string): Promise<PathShape[]> {
    const rows = await tx.query<{ shape: PathShape }>(
      `SELECT DISTINCT shape FROM path_entries WHERE redirect_id = $1 AND enabled AND shape <> ''`,
      [redirectId],
    );
    return rows.map(({ shape }) => shape);
  },

  /** Returns new unique ids. */
  async newIds(tx: Queryable, count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      const rows = await tx.query<{ id: number }>(
        `SELECT nextval(pg_get_serial_sequence('path_entries', 'id')) AS id FROM generate_series(1, $1)`,
        [Math.min(count - ids.length, ENTRIES_PER_STATEMENT)],
      );
      for (const { id } of rows) ids.push(id);
    }
    return ids;
  },

  async insertEntries(tx: Queryable, redirectId: string, entries: readonly PlacedEntry[]): Promise<void> {
    for (let at = 0; at < entries.length; at += ENTRIES_PER_STATEMENT) {
      const some = entries.slice(at, at + ENTRIES_PER_STATEMENT);
      await tx.query(
        `INSERT INTO path_entries (redirect_id, id, hash, shape, created_at, ${SETTING_COLUMNS})
         SELECT $1, id, hash, shape, coalesce(created_at, now()), source, query::jsonb, destination, status_code,
           query_forwarding, path_ending, enabled, note
         FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[], ${settingArrayTypes(6)})
           AS entry (id, hash, shape, created_at, ${SETTING_COLUMNS})`,
        [
          redirectId,
          some.map(({ id }) => id),
          some.map(({ hash }) => hash),
          some.map(({ shape }) => shape),
          some.map(({ createdAt }) => createdAt?.toISOString() ?? null),
          ...settingArrays(some),
        ],
      );
    }
  },

  async updateEntry(tx: Queryable, redirectId: string, entry: PlacedEntry): Promise<void> {
    await tx.query(
      `UPDATE path_entries SET source = $3, query = $4::jsonb, destination = $5, status_code = $6,
         query_forwarding = $7, path_ending = $8, enabled = $9, note = $10, hash = $11, shape = $12, updated_at = now()
       WHERE redirect_id = $1 AND id = $2`,
      [redirectId, entry.id, ...settingValues(entry), entry.hash, entry.shape],
    );
  },

  async deleteEntry(tx: Queryable, redirectId: string, id: number): Promise<void> {
    await tx.query('DELETE FROM path_entries WHERE redirect_id = $1 AND id = $2', [redirectId, id]);
  },

  async deleteEntries(tx: Queryable, redirectId: string): Promise<void> {
    for (let last: number | null = 0; last !== null; ) {
      const [row]: { last: number | null }[] = await tx.query(
        `WITH part AS (SELECT id FROM path_entries WHERE redirect_id = $1 AND id > $2 ORDER BY id LIMIT $3),
           gone AS (DELETE FROM path_entries WHERE redirect_id = $1 AND id > $2 AND id <= (SELECT max(id) FROM part))
         SELECT max(id) AS last FROM part`,
        [redirectId, last, ENTRIES_PER_STATEMENT],
      );
      last = row?.last ?? null;
    }
  },

  /** Returns the pages of a table by key, each as the MD5 of its text. */
  async pageDigests(tx: Queryable, redirectId: string): Promise<Map<string, string>> {
    const rows = await tx.query<{ key: string; digest: string }>(
      'SELECT key, md5(content) AS digest FROM path_pages WHERE redirect_id = $1',
      [redirectId],
    );
    return new Map(rows.map(({ key, digest }) => [key, digest]));
  },

  /** Returns all pages of a published table. */
  async pagesOf(
    source: Queryable,
    redirectId: string,
    { pageBits = 0 }: Pick<PublishedPaths, 'pageBits'>,
  ): Promise<PathPages> {
    const rows = await source.query<{ key: string; content: string }>(
      'SELECT key, content FROM path_pages WHERE redirect_id = $1',
      [redirectId],
    );
    const texts = new Map(rows.map(({ key, content }) => [key, content]));
    const pageAt = (page: number) => texts.get(pageKey(redirectId, page)) ?? '';
    return memoryPages(Array.from({ length: 2 ** pageBits }, (_, page) => pageAt(page)));
  },

  /** Returns the texts of some pages by key. */
  async pagesByKey(source: Queryable, keys: readonly string[]): Promise<Map<string, string>> {
    const rows = await source.query<{ key: string; content: string }>(
      'SELECT key, content FROM path_pages WHERE key = ANY ($1)',
      [keys],
    );
    return new Map(rows.map(({ key, content }) => [key, content]));
  },

  /** Returns the sources of entries by id. */
  async sourcesOf(
    source: Queryable,
    redirectId: string,
    ids: readonly number[],
  ): Promise<Map<number, string>> {
    const rows = await source.query<{ id: number; source: string }>(
      'SELECT id, source FROM path_entries WHERE redirect_id = $1 AND id = ANY($2::bigint[])',
      [redirectId, ids],
    );
    return new Map(rows.map(({ id, source: text }) => [id, text]));
  },

  /** Returns the texts of entries. */
  textsOf(source: Queryable, redirectId: string, ids: readonly number[]): Promise<EntryTexts[]> {
    return source.query<EntryTexts>(
      'SELECT id, source, destination FROM path_entries WHERE redirect_id = $1 AND id = ANY($2::bigint[])',
      [redirectId, ids],
    );
  },

  /** Returns the number of entries, the number of entries outside `ids`, and the first of these. */
  async entriesBeside(source: Queryable, redirectId: string, ids: readonly number[], limit: number) {
    const rows = await source.query<EntryTexts & { readonly others: number }>(
      `SELECT id, source, destination, (count(*) OVER ())::int AS others FROM path_entries
       WHERE redirect_id = $1 AND NOT EXISTS (SELECT FROM unnest($2::bigint[]) AS hit (id) WHERE hit.id = path_entries.id)
       ORDER BY id LIMIT $3`,
      [redirectId, ids, limit],
    );
    const table = await this.findTable(source, redirectId);
    return {
      totalEntries: table?.entryCount ?? 0,
      totalNeverHit: rows[0]?.others ?? 0,
      entries: rows.map(({ others: _, ...entry }) => entry),
    };
  },

  async savePages(tx: Queryable, redirectId: string, pages: readonly PublishedPage[]): Promise<void> {
    for (let at = 0; at < pages.length; at += PAGES_PER_STATEMENT) {
      const some = pages.slice(at, at + PAGES_PER_STATEMENT);
      await tx.query(
        `INSERT INTO path_pages (redirect_id, key, content)
         SELECT $1, key, content FROM unnest($2::text[], $3::text[]) AS page (key, content)
         ON CONFLICT (key) DO UPDATE SET content = excluded.content`,
        [redirectId, some.map(({ host }) => host), some.map(({ page }) => page)],
      );
    }
  },

  async deletePages(tx: Queryable, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await tx.query('DELETE FROM path_pages WHERE key = ANY($1)', [keys]);
  },
};
