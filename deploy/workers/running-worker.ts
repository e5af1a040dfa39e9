import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { DRAIN_WITHIN_MS } from '../../dataplane/drain-time.js';
import { DATAPLANE_NODE_OPTIONS } from '../../dataplane/node-options.js';
import type { ParentMessage, WorkerMessage, WorkerStatus } from './ipc-messages.js';
import { createStatusRequests } from './status-requests.js';
import { assignmentArguments, type WorkerAssignment } from './worker-assignment.js';
import { createWorkerLinks, type ParentLinks } from './worker-links.js';

const ENTRY = fileURLToPath(new URL('./worker-main.js', import.meta.url));
/** It loads its ruleset from disk first, which takes 5 s for a million hosts. */
const START_TIMEOUT_MS = 30_000;
/** A signal to all processes of the product may end a worker that still loads before it is heard here. */
const SIGNAL_SPREAD_MS = 200;
/** The whole product has 10 s to stop; the workers get the larger part, and end by themselves unless they hang. */
const DRAIN_TIMEOUT_MS = DRAIN_WITHIN_MS + 500;

/** A worker could not start; `message` says in one line why. */
export class WorkerStartError extends Error {
  override name = 'WorkerStartError';
}

/** One process that answers visitors. */
export interface RunningWorker {
  readonly pid: number | undefined;
  /** Resolves when it answers visitors; rejects when it ends before that, or takes too long. */
  readonly ready: Promise<void>;
  /** Resolves to how it ended. */
  readonly exited: Promise<string>;
  connect(links: ParentLinks): void;
  announceApi(url: string): void;
  /** Undefined when it does not answer in time. */
  status(): Promise<WorkerStatus | undefined>;
  /** Drains it and waits for its end. */
  stop(): Promise<void>;
}

export function startWorker(assignment: WorkerAssignment, logger: Logger): RunningWorker {
  const child = fork(ENTRY, assignmentArguments(assignment), {
    serialization: 'advanced',
    execArgv: [...DATAPLANE_NODE_OPTIONS, ...process.execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // The callback takes the error of a channel that closed meanwhile: `exit` reports that.
  const send = (message: ParentMessage): void => {
    if (child.connected) child.send(message, undefined, {}, () => {});
  };
  const links = createWorkerLinks(send, logger);
  const statuses = createStatusRequests((id) => send({ type: 'status-wanted', id }));
  let failure: string | undefined;

  const exited = new Promise<string>((resolve) => {
    // Without a process there is no exit either.
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      const tell = () => resolve(failure ?? signal ?? `exit code ${code}`);
      if (signal === 'SIGTERM' || signal === 'SIGINT') setTimeout(tell, SIGNAL_SPREAD_MS);
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
    void exited.then((reason) => {
      clearTimeout(timer);
      reject(new WorkerStartError(failure ?? `a data-plane process ended at its start (${reason})`));
    });
  });
  ready.catch(() => {}); // whoever started it listens; a restart has nobody to tell

  child.on('message', (message: WorkerMessage) => {
    if (message.type === 'hit-batch') links.takeBatch(message.id, message.encoded);
    if (message.type === 'report') links.takeReport(message.report);
    if (message.type === 'snapshot-wanted') links.requestSnapshot();
    if (message.type === 'applied') links.takeApplied();
    if (message.type === 'status-answer') statuses.answer(message.id, message.status);
  });
  void exited.then(() => links.cut());

  return {
    pid: child.pid,
    ready,
    exited,
    connect: links.connect,
    announceApi: (url) => send({ type: 'api', url }),
    status: statuses.ask,
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), DRAIN_TIMEOUT_MS);
      send({ type: 'drain' });
      await exited;
      clearTimeout(timer);
    },
  };
}
