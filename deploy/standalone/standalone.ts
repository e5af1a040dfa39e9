import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { type Controlplane, createControlplane } from '../../controlplane/controlplane.js';
import { createDirectIntake, createKafkaIntake } from '../../controlplane/ingest/hit-intake.js';
import type { Ingest } from '../../controlplane/ingest/ingest.js';
import type { ListenAddress } from '../../dataplane/http/listen-address.js';
import { readSnapshotSize } from '../../dataplane/sync/disk-snapshot.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { parseStandaloneConfig, type StandaloneConfig } from '../../shared/config/standalone-config.js';
import { allEnded } from '../../shared/process/all-ended.js';
import { loopbackUrl, reachableUrl } from '../../shared/process/reachable-url.js';
import { createBackupServer } from '../backup/backup-server.js';
import { productEntries } from '../backup/product-entries.js';
import { finishReplacing } from '../backup/replace-data.js';
import { lockDataDir } from '../process/data-dir-lock.js';
import { packageVersion } from '../process/package-version.js';
import { poolEndAfter } from '../process/pool-end.js';
import type { RollRequests } from '../process/rolling-restart.js';
import { runProcess } from '../process/run-process.js';
import { parseStartArguments } from '../process/start-arguments.js';
import { createWorkerPool, type WorkerPool } from '../workers/worker-pool.js';
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
      const lock = await lockDataDir(config.dataDir, { say: console.log, signal: shutdown.signal });
      shutdown.add(() => lock.release());
      shutdown.signal.throwIfAborted();
      if (await finishReplacing(config.dataDir))
        logger.warn('a restore that was interrupted is complete now');

      // Read before any data plane starts, because data planes put a damaged file aside.
      const saved = await readSnapshotSize(config.dataDir);
      const isNew = config.databaseUrl === undefined && !existsSync(path.join(config.dataDir, 'postgres'));
      if (isNew && (saved === undefined || config.acceptsAnyLoss)) {
        console.log('First start: creating the database, which takes some seconds.');
      }

      let isWhole = false;
      let opening: Promise<Controlplane> | undefined;
      let intake: Ingest | undefined;
      shutdown.add(async () => (await opening?.catch(() => undefined))?.stop());
      // Stopped before the databases: the last hits of visitors go into the store.
      const pool = createWorkerPool({
        config,
        logger,
        signal: shutdown.signal,
        leaving: shutdown.leaving,
        poolEnd: () => poolEndAfter(shutdown.cause, isWhole, config.handoverMs),
        hasOwnApi: true,
      });
      shutdown.add(() => allEnded([pool.stop(), intake?.stop(), retired(opening)]));

      opening = createControlplane({
        config,
        logger,
        version: packageVersion(),
        signal: shutdown.signal,
        leaving: shutdown.leaving,
        hasOwnDataplanes: true,
        saved,
        acceptsAnyLoss: config.acceptsAnyLoss,
      });
      // Workers that take over listen only when they have the ruleset of the database.
      const connecting = opening.then((controlplane) => {
        shutdown.signal.throwIfAborted();
        intake = takeHits(config, controlplane, pool, logger);
        return controlplane;
      });
      const [addresses, controlplane] = await Promise.all([pool.start(), connecting]);
      shutdown.signal.throwIfAborted();
      const { apiAddress, token } = await openApi(config, controlplane, shutdown.signal);
      pool.announceApi(loopbackUrl(apiAddress));
      const backups = createBackupServer({
        dataDir: config.dataDir,
        version: packageVersion(),
        entries: () => productEntries(config.dataDir, controlplane),
        logger,
      });
      // Stopped first, while the databases are open.
      shutdown.add(() => backups.stop());
      await backups.start();
      isWhole = true;
      pool.takeOver();
      rolls.serveWith(pool);
      return welcome({
        apiAddress: config.publicApiUrl ?? reachableUrl(apiAddress),
        redirectAddress: reachableUrl(addresses.redirectAddress),
        adminAddress: reachableUrl(addresses.adminAddress),
        token,
        tokenIsGiven: config.bootstrapToken !== undefined,
        dataDir: config.dataDir,
        refusal: controlplane.refusal(),
      });
    },
  });
}

async function retired(opening: Promise<Controlplane> | undefined): Promise<void> {
  await (await opening?.catch(() => undefined))?.retire();
}

/** Connects the data planes to the control plane: for their hits only where there is no Kafka in between. */
function takeHits(
  config: StandaloneConfig,
  controlplane: Controlplane,
  pool: WorkerPool,
  logger: Logger,
): Ingest | undefined {
  const { dataDir, kafka } = config;
  const { store, metrics } = controlplane;
  const { createFeed, takeReport } = controlplane;
  if (kafka === undefined) {
    pool.connect({ createFeed, takeReport, sink: createDirectIntake({ store, metrics, logger, dataDir }) });
    return undefined;
  }
  pool.connect({ createFeed, takeReport, sink: undefined });
  const intake = createKafkaIntake({ store, metrics, logger, ...kafka });
  intake.start();
  return intake;
}

/**
 * Makes the first user and opens the API. A given token works from the first answer on. A generated token is shown only
 * once, so it is generated last, when nothing else can fail and nobody has asked to stop.
 */
async function openApi(
  { bootstrapToken }: StandaloneConfig,
  controlplane: Controlplane,
  signal: AbortSignal,
): Promise<{ apiAddress: ListenAddress; token: string | undefined }> {
  const tokenIsGiven = bootstrapToken !== undefined;
  if (tokenIsGiven) await controlplane.accounts.bootstrap({ generate: false });
  const apiAddress = await controlplane.start();
  signal.throwIfAborted();
  const firstUser = tokenIsGiven ? undefined : await controlplane.accounts.bootstrap({ generate: true });
  // A given one stays with whoever gave it: it does not belong on a screen or in a container's log.
  return { apiAddress, token: firstUser?.token };
}
