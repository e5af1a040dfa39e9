import type { WorkerStatus } from './ipc-messages.js';

const TIMEOUT_MS = 1_000;

/** Questions to a worker how it is, each with its answer or none. */
export interface StatusRequests {
  /** Undefined when there is no answer in time. */
  ask(): Promise<WorkerStatus | undefined>;
  answer(id: number, status: WorkerStatus): void;
}

/** @param send puts the question of this number */
export function createStatusRequests(send: (id: number) => void): StatusRequests {
  const waiting = new Map<number, (status: WorkerStatus | undefined) => void>();
  let nextId = 1;
  return {
    ask: () =>
      new Promise((resolve) => {
        const id = nextId++;
        const settle = (status: WorkerStatus | undefined): void => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(status);
        };
        const timer = setTimeout(settle, TIMEOUT_MS, undefined);
        waiting.set(id, settle);
        send(id);
      }),
    answer: (id, status) => waiting.get(id)?.(status),
  };
}
