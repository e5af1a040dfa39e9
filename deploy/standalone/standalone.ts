import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { readSnapshotSize } from '../../dataplane/sync/disk-snapshot.js';
import { allEnded } from '../../shared/async/all-ended.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { parseStandaloneConfig, type StandaloneConfig } from '../../shared/config/standalone-config.js';
import type { LockFile } from '../../shared/process/lock-file.js';
import { loopbackUrl, reachableUrl } from '../../shared/process/reachable-url.js';
import { createBackupServer } from '../backup/backup-server.js';
import { DataDirUnwritable } from '../process/data-dir-lock.js';
import { packageVersion } from '../process/package-version.js';
import { poolEndAfter } from '../process/pool-end.js';
import type { RollRequests } from '../process/rolling-restart.js';
import { runProcess } from '../process/run-process.js';
import { parseStartArguments } from '../process/start-arguments.js';
import { createWorkerPool } from '../workers/worker-pool.js';
import { lockProductDir } from './lock-product-dir.js';
import { createOwnControlplane, type SavedRuleset } from './own-controlplane.js';
import { welcome } from './welcome.js';

/** Runs the control plane with its databases in this process, and the data planes in workers. */
export async function runStandalone(rolls: RollRequests): Promise<void> {
  await runProcess({
    name: 'waymark',
    configure: () => ({
      ...parseStandaloneConfig(processEnvironment()),
      ...parseStartArguments(process.argv.slice(2)),
    }),
    async start({ config, logger, shutdown }) {
      const { signal } = shutdown;
      // Read before any data plane starts, because data planes put a damaged file aside.
      const found = await readSnapshotSize(config.dataDir);
      const lock = await lockUnlessFull(config, found, signal);
      // Locking may have finished a restore.
      const saved = await readSnapshotSize(config.dataDir);
      sayWhatIsMade(config, saved, logger);

      let isWhole = false;
      // The pool stops before the databases, so the last hits of visitors are stored.
      const pool = createWorkerPool({
        config,
        logger,
        signal,
        leaving: shutdown.leaving,
        poolEnd: () => poolEndAfter(shutdown.cause, isWhole, config.handoverMs),
        hasOwnApi: true,
      });
      const own = createOwnControlplane({
        config,
        logger,
        shutdown,
        saved,
        lock,
        pool,
        onRecovered: () => void backups.start(),
      });
      const backups = createBackupServer({
        dataDir: config.dataDir,
        version: packageVersion(),
        entries: () => own.backupEntries(),
        logger,
      });
      shutdown.add(() => own.stop());
      shutdown.add(() => allEnded([pool.stop(), own.retire()]));
      // Stopped first, while the databases are open.
      shutdown.add(() => backups.stop());
      signal.throwIfAborted();

      // Workers that replace former ones listen only when they have the ruleset of the database.
      const [addresses] = await Promise.all([pool.start(), own.open()]);
      signal.throwIfAborted();
      const { apiAddress, token, signInCode, refusal } = await own.start();
      pool.announceApi(loopbackUrl(apiAddress));
      await backups.start();
      isWhole = true;
      pool.takeOver();
      rolls.serveWith(pool);
      return welcome({
        apiAddress: config.publicApiUrl ?? reachableUrl(apiAddress),
        redirectAddress: reachableUrl(addresses.redirectAddress),
        tlsAddress: addresses.tlsAddress && reachableUrl(addresses.tlsAddress, 'https'),
        adminAddress: reachableUrl(addresses.adminAddress),
        token,
        hasConsole: config.hasConsole,
        signInCode,
        tokenIsGiven: config.bootstrapToken !== undefined,
        dataDir: config.dataDir,
        refusal,
      });
    },
  });
}

/**
 * Locks DATA_DIR. If it is not writable, a process with saved redirects starts without the lock.
 *
 * @throws {ConfigError} as `lockProductDir` does, if there is nothing to serve
 */
async function lockUnlessFull(
  { dataDir }: StandaloneConfig,
  saved: SavedRuleset,
  signal: AbortSignal,
): Promise<LockFile | DataDirUnwritable> {
  try {
    return await lockProductDir(dataDir, { say: console.log, signal });
  } catch (error) {
    if (error instanceof DataDirUnwritable && holdsRedirects(saved)) return error;
    throw error;
  }
}

/** Announces the data that this start creates again after a loss, and a creation that takes long. */
function sayWhatIsMade(
  config: StandaloneConfig & { readonly acceptsAnyLoss: boolean },
  saved: SavedRuleset,
  logger: Logger,
): void {
  const lacks = (name: string) => !existsSync(path.join(config.dataDir, name));
  if (
    config.databaseUrl === undefined &&
    lacks('postgres') &&
    (saved === undefined || config.acceptsAnyLoss)
  ) {
    console.log('First start: creating the database, which takes some seconds.');
  }
  if (!holdsRedirects(saved)) return;
  if (config.clickhouseUrl === undefined && lacks('clickhouse')) {
    logger.warn('DATA_DIR holds redirects and no statistics: the statistics begin anew');
  }
  if (config.secretKey === undefined && lacks('secret.key')) {
    logger.warn(
      'DATA_DIR holds redirects and no secret.key: a new key is made, which cannot read what the former one encrypted. Restore the file, or set SECRET_KEY',
    );
  }
}

function holdsRedirects(saved: SavedRuleset): boolean {
  return saved === 'unreadable' || (saved?.hosts ?? 0) > 0;
}
