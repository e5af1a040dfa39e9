import type { Logger } from 'pino';
import { messageOf } from '../../../shared/process/error-facts.js';
import type { BackgroundWork } from '../../jobs/background-work.js';
import { buildIndex } from '../../storage/postgres/concurrent-index.js';
import type { Connection, Database } from '../../storage/postgres/database.js';
import { SEARCHED_TEXT } from './redirect-search.js';

/** Any constant does, as long as every control plane uses the same one. */
const BUILD_LOCK = 7_291_875;
const INDEX = 'redirects_searched_text';
/** @param schema quoted, of the extension */
const statementFor = (schema: string) =>
  `CREATE INDEX CONCURRENTLY ${INDEX} ON redirects USING gin ((${SEARCHED_TEXT}) ${schema}.gin_trgm_ops)
   WHERE deleted_at IS NULL`;

export interface SearchIndexDeps {
  readonly database: Database;
  readonly logger: Logger;
}

/**
 * Builds the trigram index that `search` uses, once, unless it is there. It needs the extension pg_trgm, which a database
 * may refuse to create. Then searches read all redirects of the user, and the log says so. The embedded database has few
 * redirects and goes without.
 */
export function createSearchIndex({ database, logger }: SearchIndexDeps): BackgroundWork {
  let isStopping = false;
  let backend: number | undefined;
  let running: Promise<void> | undefined;

  async function build(connection: Connection): Promise<void> {
    const [row] = await connection.query<{ taken: boolean; pid: number }>(
      'SELECT pg_try_advisory_lock($1) AS taken, pg_backend_pid() AS pid',
      [BUILD_LOCK],
    );
    // Another control plane builds it.
    if (row?.taken !== true || isStopping) return;
    backend = row.pid;
    await connection.query('CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public');
    const [extension] = await connection.query<{ schema: string }>(
      "SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'",
    );
    const statement = statementFor(extension?.schema ?? 'public');
    // The end of the connection releases the lock.
    await buildIndex({ database, connection, logger }, { index: INDEX, statement });
  }

  async function run(): Promise<void> {
    try {
      await database.session(build);
    } catch (error) {
      if (isStopping) return;
      logger.warn(
        { problem: messageOf(error) },
        'searches of redirects have no index and are slow for users with many: pg_trgm cannot be used. Run CREATE EXTENSION pg_trgm in this database as a superuser, and restart',
      );
    } finally {
      backend = undefined;
    }
  }

  return {
    start() {
      if (database.kind === 'server') running ??= run();
    },
    async stop() {
      isStopping = true;
      // An unfinished index is built again after the next start.
      if (backend !== undefined) {
        await database.query('SELECT pg_cancel_backend($1)', [backend]).catch(() => undefined);
      }
      await running;
    },
  };
}
