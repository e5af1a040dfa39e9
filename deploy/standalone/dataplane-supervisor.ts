import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { RulesetFeed } from '../../shared/ruleset/ruleset-feed.js';
import type { DataplaneMessage, ParentMessage } from './ipc-messages.js';

const ENTRY = fileURLToPath(new URL('./dataplane-process.js', import.meta.url));
const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 5_000;
/** A process that lived this long was healthy; the next restart is quick again. */
const HEALTHY_AFTER_MS = 30_000;
/** The whole product has 10 s to stop; the data plane gets the larger part. */
const DRAIN_TIMEOUT_MS = 7_000;

/** The data plane could not start; `message` says in one line why. */
export class DataplaneStartError extends Error {
  override name = 'DataplaneStartError';
}

export interface DataplaneAddresses {
  readonly redirectAddress: string;
  readonly adminAddress: string;
}

/** What the data plane's process needs from the control plane, once that is there. */
export interface DataplaneLinks {
  readonly createFeed: () => RulesetFeed;
  readonly sink: HitSink;
}

/** Runs the data plane in a process of its own, so that nothing the control plane does can stall visitors. */
export interface DataplaneSupervisor {
  /** Starts the process; it serves its disk snapshot at once. Rejects when its first start fails. */
  start(): Promise<DataplaneAddresses>;
  /** Gives it its live rulesets and the sink for its hits. */
  connect(links: DataplaneLinks): void;
  /** Drains the process and waits for its end. */
  stop(): Promise<void>;
}

export function createDataplaneSupervisor({ logger }: { readonly logger: Logger }): DataplaneSupervisor {
  let links: DataplaneLinks | undefined;
  let current: RunningDataplane | undefined;
  let restartDelayMs = MIN_RESTART_DELAY_MS;
  let restartTimer: NodeJS.Timeout | undefined;
  let stopping = false;

  function launch(): Promise<DataplaneAddresses> {
    const startedAtMs = Date.now();
    const running = runDataplane(logger);
    current = running;
    if (links !== undefined) running.connect(links);
    void running.exited.then((reason) => {
      if (current === running) current = undefined;
      if (stopping) return;
      if (Date.now() - startedAtMs > HEALTHY_AFTER_MS) restartDelayMs = MIN_RESTART_DELAY_MS;
      logger.error({ reason, restartDelayMs }, 'the data plane ended; starting it again');
      restartTimer = setTimeout(() => {
        launch().catch(() => {}); // its exit is handled above
      }, restartDelayMs);
      restartDelayMs = Math.min(restartDelayMs * 2, MAX_RESTART_DELAY_MS);
    });
    return running.ready;
  }

  return {
    start: launch,
    connect(newLinks) {
      links = newLinks;
      current?.connect(newLinks);
    },
    async stop() {
      stopping = true;
      clearTimeout(restartTimer);
      await current?.stop();
    },
  };
}

interface RunningDataplane {
  readonly ready: Promise<DataplaneAddresses>;
  /** Resolves to how it ended. */
  readonly exited: Promise<string>;
  connect(links: DataplaneLinks): void;
  stop(): Promise<void>;
}

function runDataplane(logger: Logger): RunningDataplane {
  const child = fork(ENTRY, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let links: DataplaneLinks | undefined;
  let feed: RulesetFeed | undefined;
  let snapshotWanted = false;
  let failure: string | undefined;

  const ready = new Promise<DataplaneAddresses>((resolve, reject) => {
    child.on('message', (message: DataplaneMessage) => {
      if (message.type === 'ready') resolve(message);
      if (message.type !== 'failed') return;
      failure = message.reason;
      reject(new DataplaneStartError(message.reason));
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`the data plane ended at start (${signal ?? code})`)),
    );
  });
  ready.catch(() => {}); // whoever started it listens; a restart has nobody to tell
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      feed?.stop();
      resolve(failure ?? signal ?? `exit code ${code}`);
    });
  });

  function serveFeed(): void {
    if (!snapshotWanted || links === undefined) return;
    snapshotWanted = false;
    if (feed !== undefined) {
      feed.requestSnapshot();
      return;
    }
    feed = links.createFeed();
    feed.start({
      onSnapshot: (snapshot) => send(child, { type: 'snapshot', snapshot }),
      onDelta: (delta) => send(child, { type: 'delta', delta }),
    });
  }

  function takeBatch(id: number, encoded: Uint8Array): void {
    if (links === undefined) {
      send(child, { type: 'hit-batch-answer', id, error: 'the control plane is still starting' });
      return;
    }
    links.sink.deliver(encoded).then(
      () => send(child, { type: 'hit-batch-answer', id }),
      (error: unknown) => {
        logger.warn(
          { err: error },
          'a batch of hits could not be stored; the data plane will offer it again',
        );
        send(child, { type: 'hit-batch-answer', id, error: 'the batch could not be stored' });
      },
    );
  }

  child.on('message', (message: DataplaneMessage) => {
    if (message.type === 'hit-batch') takeBatch(message.id, message.encoded);
    if (message.type !== 'snapshot-wanted') return;
    snapshotWanted = true;
    serveFeed();
  });

  return {
    ready,
    exited,
    connect(newLinks) {
      links = newLinks;
      serveFeed();
    },
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), DRAIN_TIMEOUT_MS);
      send(child, { type: 'drain' });
      await exited;
      clearTimeout(timer);
    },
  };
}

function send(child: ChildProcess, message: ParentMessage): void {
  // The callback takes the error of a channel that closed meanwhile: `exit` reports that.
  if (child.connected) child.send(message, undefined, {}, () => {});
}
