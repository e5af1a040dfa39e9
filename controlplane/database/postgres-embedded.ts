import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PGlite, type Transaction, types } from '@electric-sql/pglite';
import { ConfigError } from '../../shared/config/environment.js';
import { messageOf } from '../../shared/process/error-facts.js';
import type { Database, Queryable } from './database.js';
import { OwnerOnlyFiles } from './owner-only-files.js';

const parsers = { [types.INT8]: Number };

function queryable(client: PGlite | Transaction): Queryable {
  return {
    query: async <Row extends object>(sql: string, params: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...params])).rows,
  };
}

/**
 * A new cluster takes seconds to create. It is made under another name and renamed when it is complete, so that
 * a process killed meanwhile leaves nothing that looks like a database.
 */
async function createCluster(folder: string): Promise<void> {
  const unfinished = `${folder}.creating`;
  await rm(unfinished, { recursive: true, force: true });
  const cluster = await PGlite.create({ fs: new OwnerOnlyFiles(unfinished) });
  await cluster.close();
  await rename(unfinished, folder);
}

async function openCluster(folder: string): Promise<PGlite> {
  try {
    if (!existsSync(folder)) await createCluster(folder);
    return await PGlite.create({ fs: new OwnerOnlyFiles(folder), parsers });
  } catch (cause) {
    throw new ConfigError(
      `the embedded PostgreSQL cannot be opened in ${folder} (${messageOf(cause)}): see that the disk has room and the folder is whole`,
      { cause },
    );
  }
}

/**
 * Opens PostgreSQL compiled to WebAssembly (PGlite) in `<dataDir>/postgres`, creating it the first time. It has
 * one connection: statements queue. The folder must not be open in another process.
 *
 * @throws {ConfigError} when it cannot be created or opened
 */
export async function openPostgresEmbedded(dataDir: string): Promise<Database> {
  const client = await openCluster(path.join(dataDir, 'postgres'));

  return {
    kind: 'embedded',
    ...queryable(client),
    transaction: (work, options) =>
      client.transaction(async (tx) => {
        if (options?.isolation !== undefined) {
          await tx.exec(`SET TRANSACTION ISOLATION LEVEL ${options.isolation}`);
        }
        return work(queryable(tx));
      }),
    async script(sql) {
      await client.exec(sql);
    },
    async ping() {
      await client.query('SELECT 1');
    },
    close: () => client.close(),
  };
}
