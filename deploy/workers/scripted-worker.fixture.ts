import { vi } from 'vitest';
import type { WorkerStatus } from './ipc-messages.js';
import type { RunningWorker, WorkerExit } from './running-worker.js';

export const STATUS: WorkerStatus = {
  readiness: { ready: true, version: '1.1', ageMs: 1, state: 'live', hosts: 1, lastError: null },
  metrics: [],
};

/** A worker that serves, answers, ends and drains when the test asks it to. */
export function scriptedWorker() {
  let serve = () => {};
  let fail = (_: Error) => {};
  let exit = (_: WorkerExit) => {};
  let status: WorkerStatus | undefined;
  let isDraining = true;
  const ready = new Promise<void>((resolve, reject) => {
    serve = resolve;
    fail = reject;
  });
  ready.catch(() => {});
  const exited = new Promise<WorkerExit>((resolve) => {
    exit = resolve;
  });
  const drained = () => exit({ reason: 'drained', wasHung: false });
  const worker = {
    pid: 1,
    ready,
    exited,
    connect: vi.fn(),
    announceApi: vi.fn(),
    status: async () => status,
    serves: async (host: string) => (status === undefined ? undefined : host === 'served.example'),
    handOver: vi.fn(async () => {}),
    stop: vi.fn(async () => {
      if (isDraining) drained();
      await exited;
    }),
  } satisfies RunningWorker;
  return {
    worker,
    serve,
    drained,
    /** From now on `stop` waits for `drained`. */
    drainSlowly: () => {
      isDraining = false;
    },
    answer: (answer: WorkerStatus | undefined) => {
      status = answer;
    },
    end: (wasHung = false) => {
      fail(new Error('ended'));
      exit({ reason: 'SIGKILL', wasHung });
    },
  };
}
