import { callerLeft, toStoreError } from './store-error.js';

export interface Turn {
  /** Owner of the task. Owners take turns, regardless of their numbers of tasks. Default: the product itself. */
  readonly owner?: string | undefined;
  /** Whether the task belongs to background work. It then waits even when the queue is full. */
  readonly isBackground?: boolean | undefined;
  /** Whether the task continues an earlier one of its owner. It then begins before the others that wait. Default: no. */
  readonly continues?: boolean | undefined;
  /** Aborted when the caller no longer waits for the result. A task that has not begun then never runs. */
  readonly signal?: AbortSignal | undefined;
}

/** Shares connections that take one task at a time fairly among the owners of tasks. */
export interface FairQueue<Connection> {
  /** Number of tasks that wait or run. */
  readonly length: number;
  /** Number of tasks that wait. */
  readonly waiting: number;
  /**
   * Runs a task when it is its owner's turn and a connection is free. An owner's tasks start in order of arrival. Tasks
   * that continue earlier ones start first.
   *
   * @throws AnalyticsStoreError `unavailable` when the queue is full and no other owner has more tasks in it,
   *   `cancelled` as soon as the signal is aborted. The task may still run then, and keeps its connection until it
   *   ends.
   */
  run<Result>(task: (connection: Connection) => Promise<Result>, turn?: Turn): Promise<Result>;
  /** Resolves when every task that was given to the queue before this call has ended. */
  drained(): Promise<void>;
  /** Rejects the tasks that wait and all later ones. Running tasks continue. */
  refuse(error: Error): void;
}

interface Waiting<Connection> extends Turn {
  readonly owner: string;
  take(connection: Connection): void;
  refuse(error: Error): void;
}

/** @param maxWaiting maximum tasks that wait, background tasks excluded */
export function createFairQueue<Connection>(
  connections: readonly Connection[],
  maxWaiting: number,
): FairQueue<Connection> {
  const idle = [...connections];
  /** Waiting callers by owner. The owner with the next turn is first. No list is empty. */
  const waiting = new Map<string, Waiting<Connection>[]>();
  let foreground = 0;
  let refusal: Error | undefined;
  const open = new Set<Promise<unknown>>();

  function enter(entry: Waiting<Connection>): void {
    if (entry.isBackground !== true) {
      if (foreground >= maxWaiting) makeRoom(entry.owner);
      foreground += 1;
    }
    const others = waiting.get(entry.owner);
    if (others === undefined) waiting.set(entry.owner, [entry]);
    else if (entry.continues === true) others.unshift(entry);
    else others.push(entry);
  }

  /** Refuses the newest task of the owner with the most tasks. So no owner can fill the queue. */
  function makeRoom(newcomer: string): void {
    const countOf = (entries: readonly Waiting<Connection>[] = []) =>
      entries.filter(({ isBackground }) => isBackground !== true).length;
    const [most = 0, longest] = [...waiting.values()]
      .map((entries) => [countOf(entries), entries] as const)
      .reduce((a, b) => (b[0] > a[0] ? b : a));
    const full = toStoreError(new Error(`${maxWaiting} statements already wait for the store`));
    if (countOf(waiting.get(newcomer)) + 1 >= most) throw full;
    const last = longest.findLast(({ isBackground }) => isBackground !== true);
    if (last !== undefined) leave(last)?.refuse(full);
  }

  /** Takes a task out of the queue. @returns undefined when it does not wait any longer */
  function leave(entry: Waiting<Connection>): Waiting<Connection> | undefined {
    const entries = waiting.get(entry.owner) ?? [];
    const at = entries.indexOf(entry);
    if (at < 0) return undefined;
    entries.splice(at, 1);
    if (entries.length === 0) waiting.delete(entry.owner);
    if (entry.isBackground !== true) foreground -= 1;
    return entry;
  }

  /** Returns the next task of the first owner, and moves that owner to the end. */
  function next(): Waiting<Connection> | undefined {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [owner, entries] = first;
    const [entry] = entries;
    waiting.delete(owner);
    waiting.set(owner, entries);
    return entry && leave(entry);
  }

  function take({ owner = '', isBackground, continues, signal }: Turn): Promise<Connection> {
    if (refusal !== undefined) return Promise.reject(refusal);
    const free = idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((take, refuse) => {
      const left = () => leave(entry)?.refuse(callerLeft());
      const entry: Waiting<Connection> = {
        owner,
        isBackground,
        continues,
        take(connection) {
          signal?.removeEventListener('abort', left);
          take(connection);
        },
        refuse,
      };
      enter(entry);
      signal?.addEventListener('abort', left, { once: true });
    });
  }

  function giveBack(connection: Connection): void {
    const entry = next();
    if (entry === undefined) idle.push(connection);
    else entry.take(connection);
  }

  async function runOn<Result>(
    task: (connection: Connection) => Promise<Result>,
    turn: Turn,
  ): Promise<Result> {
    if (turn.signal?.aborted === true) throw callerLeft();
    const connection = await take(turn);
    try {
      return await task(connection);
    } finally {
      giveBack(connection);
    }
  }

  return {
    get length() {
      return open.size;
    },
    get waiting() {
      return [...waiting.values()].reduce((sum, { length }) => sum + length, 0);
    },
    run(task, turn = {}) {
      const running = runOn(task, turn);
      const end = () => open.delete(running);
      open.add(running);
      running.then(end, end);
      return unlessCallerLeft(running, turn.signal);
    },
    async drained() {
      await Promise.allSettled(open);
    },
    refuse(error) {
      refusal = error;
      const entries = [...waiting.values()].flat();
      waiting.clear();
      foreground = 0;
      for (const entry of entries) entry.refuse(error);
    },
  };
}

/** Rejects as soon as the signal is aborted. */
function unlessCallerLeft<Result>(running: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return running;
  return new Promise((resolve, reject) => {
    const left = () => reject(callerLeft());
    signal.addEventListener('abort', left, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', left));
  });
}
