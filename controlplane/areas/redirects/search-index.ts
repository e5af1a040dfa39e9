import type { Logger } from 'pino';
import { messageOf } from '../../../shared/process/error-facts.js';
import type { BackgroundWork } from '../../jobs/background-work.js';
import { buildIndex } from '../../storage/postgres/concurrent-index.js';
import type { Connection, Database } from '../../storage/postgres/database.js';
import { SEARCHED_TEXT } from './search-text.js';

/** Key of the advisory lock. Every control plane must use the same one. */
const BUILD_LOCK = 7_291_875;
/** Index of the texts of each user. */
const INDEX = 'redirects_searched_text_of_user';
/** Index of the texts of all users: that of earlier releases, and of databases without btree_gin. */
const GENERAL_INDEX = 'redirects_searched_text';

/** @param columns of the index */
const buildOf = (index: string, columns: string) => ({
  index,
  statement: `CREATE INDEX CONCURRENTLY ${index} ON redirects USING gin (${columns}) WHERE deleted_at IS NULL`,
});

export interface SearchIndexDeps {
  readonly database: Database;
  readonly logger: Logger;
}

/** Creates an extension unless it is there. Returns its schema, quoted. */
async function createExtension(connection: Connection, name: string): Promise<string> {
  await connection.query(`CREATE EXTENSION IF NOT EXISTS ${name} SCHEMA public`);
  const [extension] = await connection.query<{ schema: string }>(
    'SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = $1',
    [name],
  );
  return extension?.schema ?? 'public';
}

/**
 * Builds the trigram index of `search`, unless it exists. It needs the extensions pg_trgm and btree_gin, which a
 * database may refuse to create. Without btree_gin the index covers all users together. Without pg_trgm, searches
 * read the redirects of the user in the order of the list. The log reports both. The embedded database has few
 * redirects and no such index.
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
    // Another control plane is building it.
    if (row?.taken !== true || isStopping) return;
    backend = row.pid;
    const texts = `(${SEARCHED_TEXT}) ${await createExtension(connection, 'pg_trgm')}.gin_trgm_ops`;
    const users = await createExtension(connection, 'btree_gin').then(
      (schema) => `user_id ${schema}.text_ops, `,
      (error: unknown) => {
        logger.warn(
          { problem: messageOf(error) },
          'searches of redirects also read matches of other users: btree_gin cannot be used. Run CREATE EXTENSION btree_gin in this database as a superuser, and restart',
        );
      },
    );
    // The end of the connection releases the lock.
    const run = { database, connection, logger };
    if (users === undefined) return buildIndex(run, buildOf(GENERAL_INDEX, texts));
    await buildIndex(run, buildOf(INDEX, users + texts));
    await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${GENERAL_INDEX}`);
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
