import type { Logger } from 'pino';
import { createAdminListener } from '../../dataplane/http/admin-listener.js';
import { freeAddress, type ListenAddress } from '../../dataplane/http/listen-address.js';
import { allEnded } from '../../shared/process/all-ended.js';
import { createPoolMetrics } from './pool-metrics.js';
import { poolReadiness } from './pool-readiness.js';
import { startWorker } from './running-worker.js';
import type { ParentLinks } from './worker-links.js';
import { createWorkerSlot, type SlotStatus, type WorkerSlot } from './worker-slot.js';

export interface WorkerPoolConfig {
  readonly redirectHost: string;
  readonly redirectPort: number;
  readonly redirectWorkers: number;
  readonly adminHost: string;
  readonly adminPort: number;
}

export interface WorkerPoolAddresses {
  readonly redirectAddress: ListenAddress;
  readonly adminAddress: ListenAddress;
}

/**
 * The processes that answer visitors on one port, apart from everything that could stall them. One admin port
 * tells of all of them.
 */
export interface WorkerPool {
  /**
   * Starts the processes; they serve the ruleset on disk at once.
   *
   * @throws {ListenError} when a port cannot be had
   * @throws {WorkerStartError} when one of them cannot start
   * @throws when `stop` was called meanwhile; then nothing is left running
   */
  start(): Promise<WorkerPoolAddresses>;
  /** Gives them live rulesets and the sink for their hits, where they have no servers for these. */
  connect(links: ParentLinks): void;
  /** Tells them where the API of the control plane in this process listens. Called once, where there is one. */
  announceApi(url: string): void;
  /** Replaces the processes one after another, each by one that answers before the other is drained. */
  roll(): Promise<void>;
  /** Drains them and waits for their end. */
  stop(): Promise<void>;
}

export interface WorkerPoolDeps {
  readonly config: WorkerPoolConfig;
  readonly logger: Logger;
  /** Stops it when it is aborted: also while it starts, and whatever else is waited for. */
  readonly signal: AbortSignal;
  /** Whether `announceApi` will be called. Default: no. */
  readonly hasOwnApi?: boolean;
}

export function createWorkerPool({ config, logger, signal, hasOwnApi = false }: WorkerPoolDeps): WorkerPool {
  let slots: readonly WorkerSlot[] = [];
  let rolling: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let listening: Promise<WorkerPoolAddresses> | undefined;
  let asking: Promise<SlotStatus[]> | undefined;
  /** One round of questions at a time: who asks meanwhile gets the same answers. */
  const statuses = () => {
    asking ??= Promise.all(slots.map((slot) => slot.status())).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const admin = createAdminListener({
    readiness: async () => poolReadiness(await statuses()),
    metrics: createPoolMetrics({
      statuses,
      restarts: () => slots.reduce((sum, slot) => sum + slot.restarts, 0),
    }),
    logger,
  });

  function createSlots(redirectPort: number): WorkerSlot[] {
    const count = config.redirectWorkers;
    return Array.from({ length: count }, (_, index) =>
      createWorkerSlot({
        launch: (hasPeers) => startWorker({ number: index + 1, redirectPort, hasPeers, hasOwnApi }, logger),
        hasPeers: count > 1,
        logger: logger.child({ worker: index + 1 }),
      }),
    );
  }

  async function listen(): Promise<WorkerPoolAddresses> {
    const redirectAddress = await freeAddress({
      host: config.redirectHost,
      port: config.redirectPort,
      hostVariable: 'REDIRECT_HOST',
      portVariable: 'REDIRECT_PORT',
    });
    const adminAddress = await admin.listen({
      host: config.adminHost,
      port: config.adminPort,
      hostVariable: 'ADMIN_HOST',
      portVariable: 'ADMIN_PORT',
    });
    return { redirectAddress, adminAddress };
  }

  async function replaceEach(): Promise<void> {
    logger.info({ workers: slots.length }, 'replacing the data-plane processes');
    for (const slot of slots) {
      if (stopping !== undefined) return;
      try {
        await slot.replace();
      } catch (error) {
        logger.error({ err: error }, 'a new data-plane process does not start: those that run go on');
        return;
      }
    }
    logger.info('the data-plane processes are replaced');
  }

  async function end(): Promise<void> {
    await listening?.catch(() => undefined);
    await allEnded(slots.map((slot) => slot.stop())).finally(() => admin.close());
  }

  function stop(): Promise<void> {
    stopping ??= end();
    return stopping;
  }

  // Who stops it in its turn hears of what fails.
  signal.addEventListener('abort', () => void stop().catch(() => undefined), { once: true });

  return {
    async start() {
      if (stopping !== undefined) throw stoppedEarly();
      listening = listen();
      const addresses = await listening;
      if (stopping !== undefined) throw stoppedEarly();
      slots = createSlots(addresses.redirectAddress.port);
      await Promise.all(slots.map((slot) => slot.start()));
      return addresses;
    },
    connect(links) {
      for (const slot of slots) slot.connect(links);
    },
    announceApi(url) {
      for (const slot of slots) slot.announceApi(url);
    },
    roll() {
      rolling ??= replaceEach().finally(() => {
        rolling = undefined;
      });
      return rolling;
    },
    stop,
  };
}

function stoppedEarly(): Error {
  return new Error('the data-plane processes were stopped before they had started');
}
