import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Controlplane } from '../../controlplane/controlplane.js';
import { createControlplane } from '../../controlplane/controlplane.js';
import { createWaitingControlplane } from '../../controlplane/held-controlplane.js';
import { createDirectIntake } from '../../controlplane/ingest/direct-intake.js';
import type { Ingest } from '../../controlplane/ingest/ingest.js';
import type { BackupEntry } from '../../controlplane/storage/backup/backup-entry.js';
import type { ListenAddress } from '../../dataplane/http/listen-address.js';
import { allEnded } from '../../shared/async/all-ended.js';
import type { StandaloneConfig } from '../../shared/config/standalone-config.js';
import type { LockFile } from '../../shared/process/lock-file.js';
import { START_BYTES, writeProblem } from '../../shared/process/write-problem.js';
import type { RulesetSize } from '../../shared/ruleset/replacement.js';
import { productEntries } from '../backup/product-entries.js';
import { DataDirUnwritable } from '../process/data-dir-lock.js';
import { packageVersion } from '../process/package-version.js';
import type { Shutdown } from '../process/shutdown.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { lockProductDir } from './lock-product-dir.js';

const LEAST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** Header of the ruleset in DATA_DIR. */
export type SavedRuleset = RulesetSize | 'unreadable' | undefined;

export interface OpenedApi {
  readonly apiAddress: ListenAddress;
  /** The first user's token, if it was just created. */
  readonly token: string | undefined;
  /** One-time code that signs a browser in as the first user. Undefined without a console. */
  readonly signInCode: string | undefined;
}

export interface OwnControlplaneDeps {
  readonly config: StandaloneConfig & { readonly acceptsAnyLoss: boolean };
  readonly logger: Logger;
  readonly shutdown: Shutdown;
  /** The ruleset that the data planes have saved. */
  readonly saved: SavedRuleset;
  /** An error if nothing can be written to DATA_DIR. */
  readonly lock: LockFile | DataDirUnwritable;
  readonly pool: Pick<WorkerPool, 'connect'>;
  /** Called when DATA_DIR can be written again and the control plane was opened. */
  readonly onRecovered: () => void;
}

/**
 * The control plane in the process of the product. If the disk is full, a stand-in answers with that error, and the
 * control plane opens when there is space.
 */
export interface OwnControlplane {
  /** Opens the databases and connects the data planes. Called once. @throws the errors of `createControlplane` */
  open(): Promise<void>;
  /** Makes the first user and opens the API. */
  start(): Promise<OpenedApi & { refusal: string | undefined }>;
  /** Entries of a backup. @throws {BackupError} while the database is not open */
  backupEntries(): AsyncIterable<BackupEntry>;
  /** Ends the parts that data planes and callers notice. The store continues to accept hits. */
  retire(): Promise<void>;
  /** Closes the rest, the lock included. */
  stop(): Promise<void>;
}

export function createOwnControlplane(deps: OwnControlplaneDeps): OwnControlplane {
  const { config, logger, shutdown, saved, pool } = deps;
  const { signal } = shutdown;
  let lock = deps.lock;
  let opening: Promise<Controlplane> | undefined;
  let connected: Controlplane | undefined;
  let intake: Ingest | undefined;
  let recovering: Promise<void> = Promise.resolve();

  async function create(apiPort = config.apiPort): Promise<Controlplane> {
    if (lock instanceof DataDirUnwritable) return createWaitingControlplane(config, logger, lock.message);
    return createControlplane({
      config: { ...config, apiPort },
      logger,
      version: packageVersion(),
      signal,
      leaving: shutdown.leaving,
      hasOwnDataplanes: true,
      saved,
      acceptsAnyLoss: config.acceptsAnyLoss,
    });
  }

  async function connect(controlplane: Controlplane): Promise<void> {
    signal.throwIfAborted();
    connected = controlplane;
    await intake?.stop();
    intake = await takeHits(config, controlplane, { pool, logger, signal });
  }

  function lockAgain(): Promise<LockFile | DataDirUnwritable> {
    const locking = lockProductDir(config.dataDir, { say: (line) => logger.info(line), signal });
    return locking.catch((error: unknown) => {
      if (error instanceof DataDirUnwritable) return error;
      throw error;
    });
  }

  /** Replaces the stand-in by the real control plane once the disk has space. */
  async function recover(standIn: Controlplane, apiPort: number): Promise<void> {
    let current = standIn;
    for (let waitMs = LEAST_WAIT_MS; current.waitsForRoom; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      await delay(waitMs, undefined, { signal });
      if ((await writeProblem(config.dataDir, START_BYTES)) !== undefined) continue;
      if (lock instanceof DataDirUnwritable) {
        lock = await lockAgain();
        if (lock instanceof DataDirUnwritable) continue;
      }
      // A process can have only one embedded store at a time. The data planes keep the hits until the new one is open.
      await current.store.close();
      const former = current;
      opening = create(apiPort);
      current = await opening.finally(() => former.stop());
      await connect(current);
      if (config.bootstrapToken !== undefined) await current.accounts.bootstrap({ generate: false });
      await current.start();
    }
    logger.info('the disk can be written to: the control plane is open');
    deps.onRecovered();
  }

  /** Continues the recovery. An error other than missing space ends the process, but not its workers. */
  function keepRecovering(standIn: Controlplane, apiPort: number): void {
    recovering = recover(standIn, apiPort).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  const opened = () => opening?.catch(() => undefined);

  return {
    async open() {
      opening = create();
      await connect(await opening);
    },
    async start() {
      const controlplane = await (opening as Promise<Controlplane>);
      const opened = await openApi(config, controlplane, signal);
      if (controlplane.waitsForRoom) keepRecovering(controlplane, opened.apiAddress.port);
      return { ...opened, refusal: controlplane.refusal() };
    },
    backupEntries: () => productEntries(config.dataDir, connected),
    async retire() {
      await recovering.catch(() => undefined);
      await allEnded([intake?.stop(), (await opened())?.retire()]);
    },
    async stop() {
      await (await opened())?.stop();
      if (!(lock instanceof DataDirUnwritable)) await lock.release();
    },
  };
}

/** Connects the data planes to the control plane. Their hits go there only if Kafka is not configured. */
async function takeHits(
  config: StandaloneConfig,
  controlplane: Controlplane,
  { pool, logger, signal }: { pool: Pick<WorkerPool, 'connect'>; logger: Logger; signal: AbortSignal },
): Promise<Ingest | undefined> {
  const { dataDir, kafka } = config;
  const { store, metrics } = controlplane;
  const { createFeed, takeReport } = controlplane;
  const deps = { store, metrics, logger, onStored: controlplane.noteHits };
  if (kafka === undefined) {
    pool.connect({ createFeed, takeReport, sink: createDirectIntake({ ...deps, dataDir }) });
    return undefined;
  }
  const { createKafkaIntake } = await import('../../controlplane/ingest/kafka-intake.js');
  // If a stop has begun during the import, it does not know this intake and would not end it.
  signal.throwIfAborted();
  pool.connect({ createFeed, takeReport, sink: undefined });
  const intake = createKafkaIntake({ ...deps, ...kafka });
  intake.start();
  return intake;
}

/**
 * Makes the first user and opens the API. A given token works from the first answer on. A generated token is shown only
 * once. It is therefore generated last, when nothing else can fail and no stop was requested.
 */
async function openApi(
  { bootstrapToken, hasConsole }: StandaloneConfig,
  controlplane: Controlplane,
  signal: AbortSignal,
): Promise<OpenedApi> {
  const tokenIsGiven = bootstrapToken !== undefined;
  if (tokenIsGiven) await controlplane.accounts.bootstrap({ generate: false });
  const apiAddress = await controlplane.start();
  signal.throwIfAborted();
  const firstUser = tokenIsGiven ? undefined : await controlplane.accounts.bootstrap({ generate: true });
  // A given token is not printed: its owner knows it, and it does not belong on a screen or in a container's log.
  const signInCode = tokenIsGiven || !hasConsole ? undefined : await controlplane.accounts.createSignInCode();
  return { apiAddress, token: firstUser?.token, signInCode };
}
