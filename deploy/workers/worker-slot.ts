import type { Logger } from 'pino';
import type { WorkerStatus } from './ipc-messages.js';
import type { RunningWorker } from './running-worker.js';
import type { ParentLinks } from './worker-links.js';

const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 5_000;
/** Uptime after which the restart delay returns to its minimum. */
const HEALTHY_AFTER_MS = 30_000;

/** Status of one worker process: its own, `absent` (no process answers visitors) or `silent` (no status in time). */
export type SlotStatus = WorkerStatus | 'absent' | 'silent';

/** Keeps one worker running: when its process ends, another one replaces it. */
export interface WorkerSlot {
  /**
   * Rejects when the first start fails.
   *
   * @param othersAnswer whether workers of an earlier supervisor answer visitors at the time
   */
  start(othersAnswer: boolean): Promise<void>;
  connect(links: ParentLinks): void;
  announceApi(url: string): void;
  /** Starts another process and, once it answers visitors, drains the former one. Rejects if it does not. */
  replace(): Promise<void>;
  status(): Promise<SlotStatus>;
  /** Returns whether there is a redirect for a host; undefined when no process answers. */
  serves(host: string): Promise<boolean | undefined>;
  readonly restarts: number;
  /** Processes that were killed because they did not answer. */
  readonly hung: number;
  stop(): Promise<void>;
  /**
   * Leaves the serving process running without a supervisor for up to `forMs`, and stops all others. Default: as long
   * as after a kill.
   */
  handOver(forMs?: number): Promise<void>;
}

export interface WorkerSlotDeps {
  /** @param othersAnswer whether other processes answer visitors while it starts */
  readonly launch: (othersAnswer: boolean) => RunningWorker;
  /** Whether there are other slots. */
  readonly hasOtherWorkers: boolean;
  readonly logger: Logger;
  /** Uniform in [0, 1), for jitter. */
  readonly random?: () => number;
}

export function createWorkerSlot({
  launch,
  hasOtherWorkers,
  logger,
  random = Math.random,
}: WorkerSlotDeps): WorkerSlot {
  /** The process that is restarted when it ends. */
  let current: RunningWorker | undefined;
  /** All live workers, including one that is being replaced and its replacement. */
  const alive = new Set<RunningWorker>();
  const serving = new WeakSet<RunningWorker>();
  let links: ParentLinks | undefined;
  let apiUrl: string | undefined;
  let restartDelayMs = MIN_RESTART_DELAY_MS;
  let restartTimer: NodeJS.Timeout | undefined;
  let restarts = 0;
  let hung = 0;
  let stopping = false;

  function begin(othersAnswer: boolean): RunningWorker {
    const worker = launch(othersAnswer);
    const startedAtMs = Date.now();
    alive.add(worker);
    if (links !== undefined) worker.connect(links);
    if (apiUrl !== undefined) worker.announceApi(apiUrl);
    worker.ready.then(
      () => serving.add(worker),
      () => {}, // Its exit follows.
    );
    void worker.exited.then(({ reason, wasHung }) => {
      serving.delete(worker);
      alive.delete(worker);
      if (wasHung) hung += 1;
      if (stopping || current !== worker) return;
      current = undefined;
      if (Date.now() - startedAtMs > HEALTHY_AFTER_MS) restartDelayMs = MIN_RESTART_DELAY_MS;
      restart(reason);
    });
    return worker;
  }

  function restart(reason: string): void {
    const delayMs = Math.round(restartDelayMs * (0.75 + random() / 2));
    restartDelayMs = Math.min(restartDelayMs * 2, MAX_RESTART_DELAY_MS);
    logger.error({ reason, delayMs }, 'a data-plane process ended; starting it again');
    restartTimer = setTimeout(() => {
      restarts += 1;
      current = begin(hasOtherWorkers);
    }, delayMs);
  }

  /** Stops restarts, and ends each live process with `endOne`. */
  async function end(endOne: (worker: RunningWorker) => Promise<void>): Promise<void> {
    stopping = true;
    clearTimeout(restartTimer);
    await Promise.all([...alive].map(endOne));
  }

  return {
    start(othersAnswer) {
      current = begin(othersAnswer);
      return current.ready;
    },
    connect(newLinks) {
      links = newLinks;
      for (const worker of alive) worker.connect(newLinks);
    },
    announceApi(url) {
      apiUrl = url;
      for (const worker of alive) worker.announceApi(url);
    },
    async replace() {
      const successor = begin(true);
      await successor.ready;
      // A stop ends all processes of the slot, or hands the former one over.
      if (stopping) return;
      // The former process may have ended, and another may have replaced it. Both are replaced.
      clearTimeout(restartTimer);
      const former = current;
      current = successor;
      await former?.stop();
    },
    async status() {
      if (current === undefined || !serving.has(current)) return 'absent';
      return (await current.status()) ?? 'silent';
    },
    async serves(host) {
      return current !== undefined && serving.has(current) ? current.serves(host) : undefined;
    },
    get restarts() {
      return restarts;
    },
    get hung() {
      return hung;
    },
    stop: () => end((worker) => worker.stop()),
    handOver: (forMs) =>
      end((worker) => (worker === current && serving.has(worker) ? worker.handOver(forMs) : worker.stop())),
  };
}
