import type { Database } from './database.js';

/** Brings a database back to the state that `rememberState` found. */
export interface RememberedState {
  /** @returns false where tables, indexes or triggers differ now; nothing is changed then */
  restore(): Promise<boolean>;
}

interface Table {
  readonly name: string;
  readonly isFilled: boolean;
  /** Bytes on disk, deleted rows included. */
  readonly size: number;
}

/** Above this size a table is truncated. Otherwise its rows are deleted: `TRUNCATE` makes new files for every index, which takes longer. */
const MAX_DELETED_BYTES = 256 * 1024;

const RESTART_SEQUENCES = `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`;

/** Everything in the schema that a migration makes. Rows and the state of sequences are not part of it. */
const SCHEMA = `SELECT md5(string_agg(line, ',' ORDER BY line)) AS hash FROM (
  SELECT format('%s %s %s %s', attrelid::regclass, attname, atttypid, attnotnull) FROM pg_attribute
    WHERE attnum > 0 AND attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
  UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT format('%s %s', pg_get_indexdef(indexrelid), indisvalid) FROM pg_index
    WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
  UNION ALL SELECT format('%s %s', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
) AS lines (line)`;

/** Remembers the schema, and the rows of the few tables that have some after the migrations. */
export async function rememberState(database: Database): Promise<RememberedState> {
  const schemaOf = async () => (await database.query<{ hash: string }>(SCHEMA))[0]?.hash;
  const schema = await schemaOf();
  const found = await database.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const names = found.map(({ name }) => name);
  const fillings = names.map(
    (name) =>
      `SELECT '${name}' AS name, EXISTS (SELECT FROM ${name}) AS "isFilled", pg_relation_size('${name}')::int AS size`,
  );
  const filled = async () =>
    (await database.query<Table>(fillings.join(' UNION ALL '))).filter(({ isFilled }) => isFilled);
  const rows = new Map<string, string>();
  for (const { name } of await filled()) {
    const [all] = await database.query<{ text: string }>(
      `SELECT json_agg(t)::text AS text FROM ${name} AS t`,
    );
    if (all !== undefined) rows.set(name, all.text);
  }

  return {
    async restore() {
      if ((await schemaOf()) !== schema) return false;
      const emptied = await filled();
      await database.transaction(async (tx) => {
        // Disables triggers and foreign key checks, so the order of tables does not matter.
        await tx.query('SET LOCAL session_replication_role = replica');
        for (const { name, size } of emptied) {
          if (size <= MAX_DELETED_BYTES) await tx.query(`DELETE FROM ${name}`);
        }
        const large = emptied.filter(({ size }) => size > MAX_DELETED_BYTES).map(({ name }) => name);
        if (large.length > 0) await tx.query(`TRUNCATE ${large.join(', ')} CASCADE`);
        await tx.query(RESTART_SEQUENCES);
        for (const [name, text] of rows) {
          await tx.query(
            `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1::json)`,
            [text],
          );
        }
      });
      return true;
    },
  };
}
