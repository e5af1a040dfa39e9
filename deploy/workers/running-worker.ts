import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { DRAIN_WITHIN_MS } from '../../dataplane/drain-time.js';
import { DATAPLANE_NODE_OPTIONS } from '../../dataplane/node-options.js';
import type { ReplacementUrgency } from '../../dataplane/tls/loaded-certificates.js';
import { settledWithin } from '../../shared/async/deadline.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import type { ParentMessage, WorkerMessage, WorkerStatus } from './ipc-messages.js';
import { assignmentArguments, type WorkerAssignment } from './worker-assignment.js';
import { workerEnvironment } from './worker-environment.js';
import { createWorkerLinks, type ParentLinks } from './worker-links.js';
import { startWorkerPulse, type WorkerPulse } from './worker-pulse.js';
import { removeRecord } from './worker-record.js';
import { createWorkerRequests } from './worker-requests.js';

const ENTRY = fileURLToPath(new URL('./worker-main.js', import.meta.url));
/**
 * Time limit of a start. It includes loading the ruleset from disk, which takes 5 s for a million hosts, and waiting
 * for the feed.
 */
const START_TIMEOUT_MS = 30_000;
/**
 * Delay before the end of a worker by a signal is reported. The signal may go to all processes of the product, and the
 * supervisor must receive it first.
 */
const SIGNAL_SPREAD_MS = 200;
/** Maximum time for reading the last messages of an ended worker. */
const LAST_MESSAGE_MS = 1_000;
/** Time that a worker has to stop. The whole product has 10 s, and the workers get the larger part. */
const DRAIN_TIMEOUT_MS = DRAIN_WITHIN_MS + 500;
/** Maximum time for sending the message to serve alone. A worker that reads nothing learns it from the end of the channel. */
const HAND_OVER_TIMEOUT_MS = 500;

/** A worker could not start. `message` gives the reason in one line. */
export class WorkerStartError extends Error {
  override name = 'WorkerStartError';
}

/** End of a worker. */
export interface WorkerExit {
  readonly reason: string;
  /** Whether it was killed because it did not answer. */
  readonly wasHung: boolean;
}

/** One process that answers visitors. */
export interface RunningWorker {
  readonly pid: number | undefined;
  /** Resolves when it answers visitors. Rejects when it ends earlier or takes too long. */
  readonly ready: Promise<void>;
  readonly exited: Promise<WorkerExit>;
  connect(links: ParentLinks): void;
  announceApi(url: string): void;
  /** Undefined if it does not answer in time. */
  status(): Promise<WorkerStatus | undefined>;
  /** Returns whether there is a redirect for a host; undefined when it does not answer in time. */
  serves(host: string): Promise<boolean | undefined>;
  /** Drains it and waits for its end. */
  stop(): Promise<void>;
  /**
   * Leaves it serving for up to `forMs` without this process. Resolves when the message was sent. Default: as after a
   * kill.
   */
  handOver(forMs?: number): Promise<void>;
}

/** @param onReplacementWanted called when the worker must be replaced to serve the right certificates */
export function startWorker(
  assignment: WorkerAssignment,
  dataDir: string,
  logger: Logger,
  onReplacementWanted: (urgency: ReplacementUrgency) => void = () => {},
): RunningWorker {
  const child = fork(ENTRY, assignmentArguments(assignment), {
    serialization: 'advanced',
    env: workerEnvironment(processEnvironment()),
    execArgv: [...DATAPLANE_NODE_OPTIONS, ...process.execArgv],
    // Logs go to standard error. The HTTP server prints two lines on standard output for each certificate.
    stdio: ['ignore', assignment.tlsPort === undefined ? 'inherit' : 'ignore', 'inherit', 'ipc'],
  });
  // The callback also gets the error of a channel that has closed. `exit` reports the end.
  const send = (message: ParentMessage, onSent = () => {}): void => {
    if (child.connected) child.send(message, undefined, {}, () => onSent());
    else onSent();
  };
  const links = createWorkerLinks(send, logger);
  const statuses = createWorkerRequests<void, WorkerStatus>((id) => send({ type: 'status-wanted', id }));
  const hosts = createWorkerRequests<string, boolean>((id, host) => send({ type: 'host-asked', id, host }));
  let pulse: WorkerPulse | undefined;
  let failure: string | undefined;
  let wasHung = false;

  const exited = new Promise<WorkerExit>((resolve) => {
    // A process that could not be started has no exit.
    child.once('error', (error) => resolve({ reason: error.message, wasHung }));
    child.once('exit', (code, signal) => {
      const tell = () => resolve({ reason: failure ?? signal ?? `exit code ${code}`, wasHung });
      if (signal === 'SIGTERM' || signal === 'SIGINT') setTimeout(tell, SIGNAL_SPREAD_MS);
      // `exit` can precede the last message of the process, which gives the reason of its end. The channel ends after
      // it.
      else if (child.connected) void settledWithin(LAST_MESSAGE_MS, once(child, 'disconnect')).then(tell);
      else tell();
    });
  });
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      failure = `a data-plane process did not answer visitors within ${START_TIMEOUT_MS / 1000} s of its start`;
      child.kill('SIGKILL');
    }, START_TIMEOUT_MS);
    child.on('message', (message: WorkerMessage) => {
      if (message.type === 'failed') failure = message.reason;
      if (message.type !== 'ready') return;
      clearTimeout(timer);
      resolve();
    });
    void exited.then(({ reason }) => {
      clearTimeout(timer);
      reject(new WorkerStartError(failure ?? `a data-plane process ended at its start (${reason})`));
    });
  });
  ready.then(watch, () => {}); // The caller gets the error.

  function watch(): void {
    pulse = startWorkerPulse({ ping: () => send({ type: 'ping' }), onHung: killHung });
  }

  function killHung(): void {
    failure = 'it hung: it did not answer for 10 s';
    wasHung = true;
    logger.error({ pid: child.pid }, 'a data-plane process has not answered for 10 s; killing it');
    // SIGKILL also ends stopped processes.
    child.kill('SIGKILL');
  }

  child.on('message', (message: WorkerMessage) => {
    if (message.type === 'pong') pulse?.answered();
    if (message.type === 'hit-batch') links.takeBatch(message.id, message.encoded);
    if (message.type === 'report') links.takeReport(message.report);
    if (message.type === 'snapshot-wanted') links.requestSnapshot(message.known);
    if (message.type === 'applied') links.takeApplied();
    if (message.type === 'status-answer') statuses.answer(message.id, message.status);
    if (message.type === 'host-answer') hosts.answer(message.id, message.isServed);
    if (message.type === 'replacement-wanted') onReplacementWanted(message.urgency);
  });
  void exited.then(() => {
    pulse?.stop();
    links.cut();
    if (child.pid !== undefined) void removeRecord(dataDir, child.pid);
  });

  return {
    pid: child.pid,
    ready,
    exited,
    connect: links.connect,
    announceApi: (url) => send({ type: 'api', url }),
    status: () => statuses.ask(),
    serves: hosts.ask,
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), DRAIN_TIMEOUT_MS);
      send({ type: 'drain' });
      await exited;
      clearTimeout(timer);
    },
    async handOver(forMs) {
      pulse?.stop();
      if (forMs !== undefined) {
        const told = new Promise<void>((resolve) => send({ type: 'hand-over', forMs }, resolve));
        await settledWithin(HAND_OVER_TIMEOUT_MS, told);
      }
      links.cut();
      if (child.connected) child.disconnect();
    },
  };
}
