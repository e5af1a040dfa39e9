import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { createRulesetHistory } from '../../controlplane/publishing/ruleset-history.js';
import { openMigratedStore } from '../../controlplane/storage/clickhouse/migrate.js';
import { openDatabase } from '../../controlplane/storage/postgres/open-database.js';
import { readSnapshotSize, SNAPSHOT_FILE } from '../../dataplane/sync/disk-snapshot.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { ANY_LOSS } from '../../shared/ruleset/replacement.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { BackupError, type Manifest, topLevelNames } from './manifest.js';
import { readArchive } from './read-archive.js';
import { finishReplacing, replaceData, UNPACKED } from './replace-data.js';

export interface RestoreRequest {
  /** Locked by the caller: the product must not run. */
  readonly dataDir: string;
  readonly file: string;
  readonly logger: Logger;
}

export interface Restored extends Pick<Manifest, 'version' | 'createdAt'> {
  readonly names: readonly string[];
  readonly hosts: number | undefined;
  readonly hits: number | undefined;
  /** The new version of the ruleset. */
  readonly head: string | undefined;
  /** The folder with the old data. */
  readonly old: string | undefined;
}

/**
 * Restores a backup into DATA_DIR. Unpacks it beside the data, checks it, opens its databases, and begins a new epoch,
 * which makes data planes accept its ruleset. It replaces the data only after all this.
 *
 * @throws {BackupError} and leaves the data unchanged
 */
export async function restoreBackup({ dataDir, file, logger }: RestoreRequest): Promise<Restored> {
  await finishReplacing(dataDir);
  const unpacked = path.join(dataDir, UNPACKED);
  try {
    await mkdir(unpacked, { mode: 0o700 });
    const manifest = await readArchive(file, unpacked);
    const replaced = topLevelNames(manifest);
    const database = replaced.includes('postgres')
      ? await opened('PostgreSQL', () => beginEpoch(unpacked, dataDir, logger))
      : undefined;
    const hits = replaced.includes('clickhouse')
      ? await opened('ClickHouse', () => countHits(unpacked, logger))
      : undefined;
    // A ruleset of the old data is not one of this database.
    const removed = database === undefined || replaced.includes(SNAPSHOT_FILE) ? [] : [SNAPSHOT_FILE];
    const old = await replaceData(dataDir, { replaced, removed });
    const { version, createdAt } = manifest;
    return { version, createdAt, names: replaced, hits, old, hosts: database?.hosts, head: database?.head };
  } catch (error) {
    if (existsSync(unpacked)) await rm(unpacked, { recursive: true, force: true });
    throw error;
  }
}

async function opened<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new BackupError(`The ${name} in the backup cannot be opened: ${messageOf(cause)}`, { cause });
  }
}

/** Begins an epoch beyond that of the backup and that of the data which it replaces. */
async function beginEpoch(unpacked: string, dataDir: string, logger: Logger) {
  const saved = await readSnapshotSize(dataDir);
  const served = saved === undefined || saved === 'unreadable' ? undefined : saved.version;
  const database = await openDatabase(
    { databaseUrl: undefined, dataDir: unpacked, embeddedFsync: true },
    logger,
    'refuse',
  );
  try {
    const history = createRulesetHistory(database);
    const { head } = await history.relationOf({ epoch: 0, seq: 0 });
    const epoch = Math.max(head.epoch, served?.epoch ?? 0);
    const removals = Math.max(head.removals ?? 0, served?.removals ?? 0);
    const begun = await history.beginEpoch({ epoch, seq: 0, removals }, ANY_LOSS);
    return { hosts: await history.countHosts(), head: formatVersion(begun) };
  } finally {
    await database.close();
  }
}

async function countHits(unpacked: string, logger: Logger): Promise<number> {
  const store = await openMigratedStore({ dataDir: unpacked }, logger);
  try {
    const [row] = await store.query<{ hits: number }>('SELECT count() AS hits FROM hits');
    return row?.hits ?? 0;
  } finally {
    await store.close();
  }
}
