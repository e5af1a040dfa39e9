import type { Logger } from 'pino';
import { createAdminListener } from '../../dataplane/http/admin-listener.js';
import type { ListenAddress } from '../../dataplane/http/listen-address.js';
import { allEnded } from '../../shared/async/all-ended.js';
import { createCoalescer } from '../../shared/async/coalescer.js';
import { type FormerWorkers, findFormerWorkers } from './former-workers.js';
import { hintAtLostConnections } from './lost-connections.js';
import { createPoolMetrics } from './pool-metrics.js';
import { isAnyAnswering, poolReadiness } from './pool-readiness.js';
import { createReplacementSchedule } from './replacement-schedule.js';
import { type RunningWorker, startWorker } from './running-worker.js';
import { type VisitorAddress, visitorAddress } from './visitor-address.js';
import type { WorkerAssignment } from './worker-assignment.js';
import type { ParentLinks } from './worker-links.js';
import { createWorkerSlot, type SlotStatus, type WorkerSlot } from './worker-slot.js';

export interface WorkerPoolConfig {
  readonly redirectHost: string;
  readonly redirectPort: number;
  readonly redirectWorkers: number;
  /** HTTPS on a second port. Undefined: HTTP only. */
  readonly tls?: { readonly port: number; readonly reloadIntervalMs: number } | undefined;
  readonly adminHost: string;
  readonly adminPort: number;
  readonly dataDir: string;
  /** Time that workers serve after `hand-over`; 0 means as long as after a kill of their supervisor. */
  readonly handoverMs: number;
}

export interface WorkerPoolAddresses {
  readonly redirectAddress: VisitorAddress;
  readonly tlsAddress: VisitorAddress | undefined;
  readonly adminAddress: ListenAddress;
}

/**
 * Fate of the workers when the pool stops.
 *
 * - `drain`: all of them end, also those of an earlier supervisor.
 * - `hand-over`: those that serve continue, and the next supervisor takes them over.
 * - `give-up`: the pool's own workers end; those of an earlier supervisor continue.
 */
export type PoolEnd = 'drain' | 'hand-over' | 'give-up';

/**
 * The processes that answer visitors on one port, separate from all work that could delay them. One admin port shows
 * the health and metrics of all of them.
 */
export interface WorkerPool {
  /**
   * Starts the processes. They serve the ruleset on disk immediately. If workers of an earlier supervisor serve the
   * port, the new workers share it and first wait for the newest ruleset.
   *
   * @throws {ListenError} if a port is not free
   * @throws {WorkerStartError} if one of them cannot start
   * @throws if `stop` was called in the meantime; then no process is left running
   */
  start(): Promise<WorkerPoolAddresses>;
  /** Gives them live rulesets and the sink for their hits, unless servers for these are configured. */
  connect(links: ParentLinks): void;
  /** Sends them the address of the API of the control plane in this process. Called once, if there is one. */
  announceApi(url: string): void;
  /** Drains the workers of earlier supervisors. Called when the whole start has succeeded. */
  takeOver(): void;
  /**
   * Replaces the processes one after another, each by one that answers before the other is drained. A call during a
   * round starts another round after it: newer code may be in place. Resolves to whether all were replaced.
   */
  roll(): Promise<boolean>;
  /** Stops them as `poolEnd` says, and waits for those that end. */
  stop(): Promise<void>;
}

export interface WorkerPoolDeps {
  readonly config: WorkerPoolConfig;
  readonly logger: Logger;
  /** Stops the pool when it is aborted, also during its start. */
  readonly signal: AbortSignal;
  /** Makes `/readyz` answer 503 when it is aborted. Default: `signal`. */
  readonly leaving?: AbortSignal;
  /** Called once, when the pool stops. Default: `drain`. */
  readonly poolEnd?: () => PoolEnd;
  /** Whether `announceApi` will be called. Default: no. */
  readonly hasOwnApi?: boolean;
  /** Starts one process. Default: a real one. */
  readonly launch?: (assignment: WorkerAssignment) => RunningWorker;
}

/** Maximum wait of a worker for the newest ruleset while another worker of the pool answers. */
const AWAIT_FEED_MS = 3_000;
/**
 * The same limit while workers of an earlier supervisor answer. The control plane of this supervisor may still be
 * starting.
 */
const AWAIT_FEED_AT_TAKE_OVER_MS = 20_000;

export function createWorkerPool(deps: WorkerPoolDeps): WorkerPool {
  const { config, logger, signal, leaving = signal, poolEnd = () => 'drain', hasOwnApi = false } = deps;
  const { launch = (assignment) => startWorker(assignment, config.dataDir, logger, replacements.request) } =
    deps;
  let slots: readonly WorkerSlot[] = [];
  let links: ParentLinks | undefined;
  let hasStarted = false;
  let stopping: Promise<void> | undefined;
  let listening: Promise<WorkerPoolAddresses> | undefined;
  let asking: Promise<SlotStatus[]> | undefined;
  let searching: Promise<FormerWorkers> | undefined;
  /** One round of questions at a time: callers during a round get its answers. */
  const statuses = () => {
    asking ??= Promise.all(slots.map((slot) => slot.status())).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const rolls = createCoalescer(async () => {
    wereAllReplaced = await replaceEach();
  });
  const roll = () => rolls.request().then(() => wereAllReplaced);
  let wereAllReplaced = false;
  const replacements = createReplacementSchedule({
    roll,
    intervalMs: config.tls?.reloadIntervalMs ?? 0,
  });
  const admin = createAdminListener({
    readiness: async () => poolReadiness(await statuses(), leaving.aborted),
    isHealthy: async () => !hasStarted || isAnyAnswering(await statuses()),
    serves,
    metrics: createPoolMetrics({
      statuses,
      restarts: () => slots.reduce((sum, slot) => sum + slot.restarts, 0),
      hung: () => slots.reduce((sum, slot) => sum + slot.hung, 0),
    }),
    logger,
  });
  const formerWorkers = () => {
    searching ??= findFormerWorkers(config.dataDir, logger);
    return searching;
  };

  /** Asks the workers one by one until one answers. All serve the same ruleset. */
  async function serves(host: string): Promise<boolean | undefined> {
    for (const slot of slots) {
      const isServed = await slot.serves(host);
      if (isServed !== undefined) return isServed;
    }
    return undefined;
  }

  function createSlots({ redirectAddress, tlsAddress }: WorkerPoolAddresses): WorkerSlot[] {
    const count = config.redirectWorkers;
    return Array.from({ length: count }, (_, index) =>
      createWorkerSlot({
        launch: (othersAnswer) =>
          launch({
            number: index + 1,
            redirectPort: redirectAddress.port,
            ...(tlsAddress && { tlsPort: tlsAddress.port }),
            awaitFeedMs: othersAnswer ? feedLimitMs() : 0,
            hasOwnApi,
          }),
        hasOtherWorkers: count > 1,
        logger: logger.child({ worker: index + 1 }),
      }),
    );
  }

  const feedLimitMs = () => (hasStarted ? AWAIT_FEED_MS : AWAIT_FEED_AT_TAKE_OVER_MS);

  async function listen(): Promise<WorkerPoolAddresses> {
    const { redirectHost: host, redirectPort, tls } = config;
    const { pids } = await formerWorkers();
    const addressOf = (port: number, portVariable: string) =>
      visitorAddress({ host, port, hostVariable: 'REDIRECT_HOST', portVariable }, pids);
    const redirectAddress = await addressOf(redirectPort, 'REDIRECT_PORT');
    const tlsAddress = tls && (await addressOf(tls.port, 'TLS_PORT'));
    const adminAddress = await admin.listen({
      host: config.adminHost,
      port: config.adminPort,
      hostVariable: 'ADMIN_HOST',
      portVariable: 'ADMIN_PORT',
    });
    return { redirectAddress, tlsAddress, adminAddress };
  }

  async function replaceEach(): Promise<boolean> {
    logger.info({ workers: slots.length }, 'replacing the data-plane processes');
    await hintAtLostConnections(logger);
    for (const slot of slots) {
      if (stopping !== undefined) return false;
      try {
        await slot.replace();
      } catch (error) {
        logger.error({ err: error }, 'a new data-plane process does not start: those that run go on');
        return false;
      }
    }
    logger.info('the data-plane processes are replaced');
    return true;
  }

  async function end(): Promise<void> {
    await listening?.catch(() => undefined);
    await endWorkers(poolEnd()).finally(() => admin.close());
  }

  async function endWorkers(how: PoolEnd): Promise<unknown> {
    switch (how) {
      case 'drain':
        return allEnded([...slots.map((slot) => slot.stop()), (await formerWorkers()).retire()]);
      case 'hand-over':
        return allEnded(slots.map((slot) => slot.handOver(config.handoverMs || undefined)));
      case 'give-up':
        return allEnded(slots.map((slot) => slot.stop()));
    }
  }

  function stop(): Promise<void> {
    replacements.stop();
    stopping ??= end();
    return stopping;
  }

  // Callers of `stop` get the errors.
  signal.addEventListener('abort', () => void stop().catch(() => undefined), { once: true });

  return {
    async start() {
      if (stopping !== undefined) throw stoppedEarly();
      listening = listen();
      const addresses = await listening;
      if (stopping !== undefined) throw stoppedEarly();
      const { isShared } = addresses.redirectAddress;
      slots = createSlots(addresses);
      const started = slots.map((slot) => slot.start(isShared));
      if (links !== undefined) for (const slot of slots) slot.connect(links);
      await Promise.all(started);
      hasStarted = true;
      return addresses;
    },
    connect(newLinks) {
      links = newLinks;
      for (const slot of slots) slot.connect(newLinks);
    },
    announceApi(url) {
      for (const slot of slots) slot.announceApi(url);
    },
    takeOver() {
      void formerWorkers().then(async (former) => {
        if (former.pids.length === 0 || stopping !== undefined) return;
        await hintAtLostConnections(logger);
        await former.retire();
        logger.info('the data-plane processes of the earlier run have ended');
      });
    },
    roll,
    stop,
  };
}

function stoppedEarly(): Error {
  return new Error('the data-plane processes were stopped before they had started');
}
