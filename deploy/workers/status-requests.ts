import type { WorkerStatus } from './ipc-messages.js';

const TIMEOUT_MS = 1_000;

/** Asks one worker for its status. */
export interface StatusRequests {
  /** Undefined when there is no answer in time. */
  ask(): Promise<WorkerStatus | undefined>;
  answer(id: number, status: WorkerStatus): void;
}

/** @param send sends the question with this number */
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
        // After a stall of this process, answers that have arrived are read before the `setImmediate`.
        const timer = setTimeout(() => setImmediate(settle, undefined), TIMEOUT_MS);
        waiting.set(id, settle);
        send(id);
      }),
    answer: (id, status) => waiting.get(id)?.(status),
  };
}
