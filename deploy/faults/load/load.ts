import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type {
  LoadAnswer,
  LoadPlan,
  LoadRequest,
  LoadStats,
  PlaneMode,
  SeenCounters,
} from './load-messages.js';

/** Visitors of the data planes, in a separate process. */
export interface Load {
  setMode(plane: number, mode: PlaneMode): Promise<void>;
  stats(): Promise<LoadStats>;
  seen(): Promise<SeenCounters>;
  /**
   * Ends the requests.
   *
   * @returns the figures when the last answer has arrived
   */
  finish(): Promise<LoadStats>;
  /** Ends the process. */
  close(): void;
}

const ENTRY = fileURLToPath(new URL('./load-process.js', import.meta.url));
const ANSWER_TIMEOUT_MS = 20_000;

/** @throws when the process does not start */
export async function startLoad(plan: LoadPlan): Promise<Load> {
  const child = fork(ENTRY, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, (value: LoadAnswer) => void>();
  let nextId = 1;
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.on('message', ({ id, value }: { id: number; value: LoadAnswer }) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });

  function ask<T extends LoadAnswer>(request: LoadRequest): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = nextId++;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`the load process did not answer "${request.type}"`));
      }, ANSWER_TIMEOUT_MS);
      waiting.set(id, (value) => {
        clearTimeout(timer);
        resolve(value as T);
      });
      child.send({ id, request });
    });
  }

  await ask({ type: 'begin', plan });
  return {
    setMode: (plane, mode) => ask<undefined>({ type: 'set-mode', plane, mode }),
    stats: () => ask<LoadStats>({ type: 'stats' }),
    seen: () => ask<SeenCounters>({ type: 'seen' }),
    finish: () => ask<LoadStats>({ type: 'finish' }),
    close() {
      process.off('exit', killAtExit);
      child.kill('SIGKILL');
    },
  };
}
