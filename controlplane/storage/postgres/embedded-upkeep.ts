import type { Logger } from 'pino';
import { START_BYTES, writeProblem } from '../../../shared/process/write-problem.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Queryable } from './database.js';

/** Interval and thresholds are the defaults of PostgreSQL's autovacuum. */
const ROUND_INTERVAL_MS = 60_000;
const AGAIN = 'trying again in a minute';

export interface EmbeddedUpkeepDeps {
  readonly database: Queryable;
  /** Folder of the database. Nothing is written if its disk is full. */
  readonly folder: string;
  readonly logger: Logger;
}

/**
 * Selects tables with many dead or new rows, and tables whose transaction numbers are old. System tables are among them. Counts
 * begin at 0 with each start, so the first dead row after a start is enough.
 * https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM
 */
const FIND_DUE_TABLES = `
  SELECT stats.relid::regclass::text AS name
  FROM pg_stat_all_tables AS stats JOIN pg_class ON pg_class.oid = stats.relid
  WHERE pg_class.relkind = 'r' AND (
    stats.n_dead_tup > CASE WHEN stats.last_vacuum IS NULL THEN 0 ELSE 50 + 0.2 * greatest(pg_class.reltuples, 0) END
    OR stats.n_ins_since_vacuum > 1000 + 0.2 * greatest(pg_class.reltuples, 0)
    OR stats.n_mod_since_analyze > 50 + 0.1 * greatest(pg_class.reltuples, 0)
    OR age(pg_class.relfrozenxid) > current_setting('autovacuum_freeze_max_age')::integer)
  ORDER BY name`;

/**
 * Vacuums and analyzes tables, because PGlite has no background processes. Without this work, tables grow with each
 * change, and query plans depend on outdated statistics. A round vacuums the due tables one after another. Other
 * statements run in between.
 */
export function createEmbeddedVacuum({ database, folder, logger }: EmbeddedUpkeepDeps): RoundWork {
  async function vacuum(name: string): Promise<void> {
    const startedMs = performance.now();
    try {
      // PostgreSQL has quoted the name if needed.
      await database.query(`VACUUM ${name}`);
      // Other statements run before it.
      await database.query(`ANALYZE ${name}`);
    } catch (error) {
      // The round continues with the next table.
      logger.warn({ err: error, table: name }, `a table could not be vacuumed; ${AGAIN}`);
      return;
    }
    const durationMs = Math.round(performance.now() - startedMs);
    logger.debug({ table: name, durationMs }, 'a table was vacuumed');
  }

  async function runRound(): Promise<void> {
    const due = await database.query<{ name: string }>(FIND_DUE_TABLES);
    // A vacuum writes WAL, and PostgreSQL ends itself when it cannot.
    if (due.length === 0 || (await writeProblem(folder, START_BYTES)) !== undefined) return;
    for (const { name } of due) if (!work.isStopping()) await vacuum(name);
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: `tables to vacuum could not be found; ${AGAIN}`,
  });
  return work;
}

const LOOK_INTERVAL_MS = 10_000;
const CHECKPOINT_INTERVAL_MS = 5 * 60_000;
const MOST_WAL_BYTES = 16 * 1024 * 1024;

/**
 * Makes checkpoints, because PGlite has no background processes. Otherwise the WAL grows until the next stop, and one
 * bad byte early in it loses all later changes. One is due after 16 MiB of WAL, or five minutes in which anything was written.
 */
export function createEmbeddedCheckpoints(
  { database, folder, logger }: EmbeddedUpkeepDeps,
  nowMs: () => number = () => performance.now(),
): RoundWork {
  /** Opening the database has made one. */
  let lastMs = nowMs();
  let lastLsn: string | undefined;

  async function runRound(): Promise<void> {
    const [row] = await database.query<{ lsn: string; bytes: number }>(
      `SELECT pg_current_wal_insert_lsn()::text AS lsn,
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), coalesce($1::pg_lsn, redo_lsn))::bigint AS bytes
       FROM pg_control_checkpoint()`,
      [lastLsn ?? null],
    );
    if (row === undefined || row.bytes === 0) return;
    if (row.bytes < MOST_WAL_BYTES && nowMs() - lastMs < CHECKPOINT_INTERVAL_MS) return;
    // PostgreSQL ends itself when it cannot write a checkpoint.
    if ((await writeProblem(folder, START_BYTES)) !== undefined) return;
    const startedMs = nowMs();
    await database.query('CHECKPOINT');
    const [after] = await database.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    lastLsn = after?.lsn;
    lastMs = nowMs();
    logger.debug({ walBytes: row.bytes, durationMs: Math.round(lastMs - startedMs) }, 'database checkpoint');
  }

  return createBackgroundWork({
    intervalMs: LOOK_INTERVAL_MS,
    runRound,
    logger,
    failure: 'a checkpoint of the embedded database failed; trying again in 10 s',
  });
}
