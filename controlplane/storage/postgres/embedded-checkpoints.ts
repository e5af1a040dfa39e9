import type { Logger } from 'pino';
import { START_BYTES, writeProblem } from '../../../shared/process/write-problem.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Queryable } from './database.js';

const LOOK_INTERVAL_MS = 10_000;
const CHECKPOINT_INTERVAL_MS = 5 * 60_000;
const MOST_WAL_BYTES = 16 * 1024 * 1024;

/**
 * Makes checkpoints, because PGlite has no background processes. Otherwise the WAL grows until the next stop, and one
 * bad byte early in it loses all later changes. One is due after 16 MiB of WAL, or five minutes in which anything was written.
 */
export type EmbeddedCheckpoints = RoundWork;

export interface EmbeddedCheckpointsDeps {
  readonly database: Queryable;
  /** Folder of the database. No checkpoint is made if its disk is full. Default: not checked. */
  readonly folder?: string;
  readonly logger: Logger;
  /** Milliseconds since any moment. Default: the process's clock. */
  readonly nowMs?: () => number;
}

export function createEmbeddedCheckpoints(deps: EmbeddedCheckpointsDeps): EmbeddedCheckpoints {
  const { database, folder, logger, nowMs = () => performance.now() } = deps;
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
    if (folder !== undefined && (await writeProblem(folder, START_BYTES)) !== undefined) return;
    const startedMs = nowMs();
    await database.query('CHECKPOINT');
    const [after] = await database.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    lastLsn = after?.lsn;
    lastMs = nowMs();
    logger.debug({ walBytes: row.bytes, durationMs: Math.round(lastMs - startedMs) }, 'database checkpoint');
  }

  const work = createBackgroundWork({
    intervalMs: LOOK_INTERVAL_MS,
    runRound,
    logger,
    failure: 'a checkpoint of the embedded database failed; trying again in 10 s',
  });
  return work;
}
