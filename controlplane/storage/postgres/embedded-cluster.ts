import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PGlite, type PGliteOptions, types } from '@electric-sql/pglite';
import type { Logger } from 'pino';
import { ConfigError } from '../../../shared/config/environment.js';
import { messageOf } from '../../../shared/process/error-facts.js';
import { START_BYTES, writeProblem } from '../../../shared/process/write-problem.js';
import { EmbeddedDatabaseLost, type WhenUnusable } from './embedded-database-lost.js';
import { OwnerOnlyFiles, SYNCED_START_PARAMS, SyncedNodeFs } from './synced-node-fs.js';

export interface ClusterOptions {
  /** Whether commits wait until the disk has them. */
  readonly fsync: boolean;
  readonly whenUnusable: WhenUnusable;
}

/** PostgreSQL's default of 128 MiB is memory of this process. The system caches the files anyway. */
const MEMORY = ['-c', 'shared_buffers=16MB'];
/** ANALYZE then reads 3,000 rows instead of 30,000. It stops this thread: 35 instead of 350 ms for 100,000 redirects. */
const STATISTICS = ['-c', 'default_statistics_target=10'];

/** Rows have the same values as those of a server. */
const parsers = {
  [types.INT8]: Number,
  [types.BYTEA]: (hex: string) => Buffer.from(hex.slice('\\x'.length), 'hex'),
};

/**
 * Opens the cluster in `folder`.
 *
 * @throws {EmbeddedDatabaseLost} when it is missing or damaged, and `whenUnusable` forbids a new one
 * @throws {ConfigError} when it cannot be created or opened otherwise
 */
export async function openCluster(
  folder: string,
  { fsync, whenUnusable }: ClusterOptions,
  logger: Logger,
): Promise<PGlite> {
  if (await isAbsent(folder)) {
    if (whenUnusable === 'refuse') {
      throw new EmbeddedDatabaseLost(`the embedded PostgreSQL in ${folder} is missing`, false);
    }
    return createAndOpen(folder, fsync);
  }
  try {
    return await openExisting(folder, fsync);
  } catch (cause) {
    const noRoom = await writeProblem(folder, START_BYTES);
    const why = noRoom ?? messageOf(cause);
    const damage = `the embedded PostgreSQL in ${folder} cannot be opened (${why})`;
    if (whenUnusable === 'refuse') throw new EmbeddedDatabaseLost(damage, noRoom !== undefined, { cause });
    // One that only lacks room is not damaged.
    if (whenUnusable === 'create' || noRoom !== undefined) throw cannotOpen(folder, cause);
    await putAside(folder, damage, logger);
    return createAndOpen(folder, fsync);
  }
}

/** Renames a damaged cluster. An operator can examine it later. */
export async function putAside(folder: string, damage: string, logger: Logger): Promise<void> {
  const aside = `${folder}.damaged-${Date.now()}`;
  await rename(folder, aside);
  logger.warn({ aside }, `${damage}; it was put aside, and a new one is created`);
}

async function isAbsent(folder: string): Promise<boolean> {
  return !existsSync(folder) || (await readdir(folder)).length === 0;
}

/** PGlite would make a new cluster over one that lacks its `PG_VERSION`. */
async function openExisting(folder: string, fsync: boolean): Promise<PGlite> {
  if (!existsSync(path.join(folder, 'PG_VERSION'))) throw new Error('PG_VERSION is missing');
  return PGlite.create({ ...storageOptions(folder, fsync), parsers });
}

async function createAndOpen(folder: string, fsync: boolean): Promise<PGlite> {
  try {
    await createCluster(folder);
    return await openExisting(folder, fsync);
  } catch (cause) {
    throw cannotOpen(folder, cause);
  }
}

/**
 * Creates a cluster under another name, and renames it when it is complete. Creation takes seconds. A process that is
 * killed during it must leave nothing that looks like a database.
 */
async function createCluster(folder: string): Promise<void> {
  const unfinished = `${folder}.creating`;
  await rm(unfinished, { recursive: true, force: true });
  const cluster = await PGlite.create({ fs: new OwnerOnlyFiles(unfinished) });
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
}

function storageOptions(folder: string, fsync: boolean): PGliteOptions {
  const startParams = [
    ...(fsync ? SYNCED_START_PARAMS : PGlite.defaultStartParams),
    ...MEMORY,
    ...STATISTICS,
  ];
  return { fs: fsync ? new SyncedNodeFs(folder) : new OwnerOnlyFiles(folder), startParams };
}

function cannotOpen(folder: string, cause: unknown): ConfigError {
  return new ConfigError(
    `the embedded PostgreSQL cannot be opened in ${folder} (${messageOf(cause)}): see that the disk has room and the folder is whole`,
    { cause },
  );
}
