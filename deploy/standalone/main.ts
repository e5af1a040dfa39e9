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
import { lockDataDir } from '../process/data-dir-lock.js';
import { packageVersion } from '../process/package-version.js';
import { rollOnSignal } from '../process/rolling-restart.js';
import { runProcess } from '../process/run-process.js';
import { parseStartArguments } from '../process/start-arguments.js';
import { createWorkerPool, type WorkerPool } from '../workers/worker-pool.js';
import { welcome } from './welcome.js';

/** Everything in one command. */
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

    // Before any data plane starts: it puts a damaged file aside.
    const saved = await readSnapshotSize(config.dataDir);
    const isNew = config.databaseUrl === undefined && !existsSync(path.join(config.dataDir, 'postgres'));
    if (isNew && (saved === undefined || config.acceptsAnyLoss)) {
      console.log('First start: creating the database, which takes some seconds.');
    }

    let opening: Promise<Controlplane> | undefined;
    let intake: Ingest | undefined;
    shutdown.add(async () => (await opening?.catch(() => undefined))?.stop());
    // Stopped before the databases: the last hits of visitors go into the store.
    const pool = createWorkerPool({ config, logger, signal: shutdown.signal, hasOwnApi: true });
    shutdown.add(() => allEnded([pool.stop(), intake?.stop(), retired(opening)]));

    opening = createControlplane({
      config,
      logger,
      version: packageVersion(),
      signal: shutdown.signal,
      hasOwnDataplanes: true,
      saved,
      acceptsAnyLoss: config.acceptsAnyLoss,
    });
    const [addresses, controlplane] = await Promise.all([pool.start(), opening]);
    shutdown.signal.throwIfAborted();
    intake = takeHits(config, controlplane, pool, logger);
    const { apiAddress, token } = await openApi(config, controlplane, shutdown.signal);
    pool.announceApi(loopbackUrl(apiAddress));
    rollOnSignal(pool);
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
  const { dataDir, kafkaBrokers: brokers } = config;
  const { store, metrics } = controlplane;
  const { createFeed, takeReport } = controlplane;
  if (brokers === undefined) {
    pool.connect({ createFeed, takeReport, sink: createDirectIntake({ store, metrics, logger, dataDir }) });
    return undefined;
  }
  pool.connect({ createFeed, takeReport, sink: undefined });
  const intake = createKafkaIntake({ store, metrics, logger, brokers });
  intake.start();
  return intake;
}

/**
 * A given token works from the first answer on. One made here is made when nothing can fail any more: it is shown
 * only once. Nor is it made for who does not want to start any more.
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
