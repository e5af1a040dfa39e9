import { toStoreError } from './store-error.js';

/** Shares out connections that take one statement at a time each. */
export interface ConnectionPool<Connection> {
  /** Tasks waiting or running. */
  readonly length: number;
  /**
   * Runs a task on the first connection that is free, in the order in which tasks came.
   *
   * @param isPatient whether it waits however many do
   * @throws AnalyticsStoreError `unavailable` when as many wait as may
   */
  run<Result>(task: (connection: Connection) => Promise<Result>, isPatient?: boolean): Promise<Result>;
  /** Resolves when everything that was given to it up to now has ended. */
  drained(): Promise<void>;
  /** Refuses the tasks that wait for a connection, and those that come from now on. What runs goes on. */
  refuse(error: Error): void;
}

interface Waiting<Connection> {
  take(connection: Connection): void;
  refuse(error: Error): void;
}

/** @param maxWaiting tasks that may wait for a connection, but for patient ones */
export function createConnectionPool<Connection>(
  connections: readonly Connection[],
  maxWaiting: number,
): ConnectionPool<Connection> {
  const idle = [...connections];
  const waiting: Waiting<Connection>[] = [];
  let refusal: Error | undefined;
  const open = new Set<Promise<unknown>>();

  async function take(isPatient: boolean): Promise<Connection> {
    if (refusal !== undefined) throw refusal;
    const free = idle.pop();
    if (free !== undefined) return free;
    if (!isPatient && waiting.length >= maxWaiting) {
      throw toStoreError(new Error(`${maxWaiting} statements wait for the store already`));
    }
    return new Promise((take, refuse) => waiting.push({ take, refuse }));
  }

  function giveBack(connection: Connection): void {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next.take(connection);
  }

  async function runOn<Result>(
    task: (connection: Connection) => Promise<Result>,
    isPatient: boolean,
  ): Promise<Result> {
    const connection = await take(isPatient);
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
    run(task, isPatient = false) {
      const turn = runOn(task, isPatient);
      const end = () => open.delete(turn);
      open.add(turn);
      turn.then(end, end);
      return turn;
    },
    async drained() {
      await Promise.allSettled(open);
    },
    refuse(error) {
      refusal = error;
      for (const { refuse } of waiting.splice(0)) refuse(error);
    },
  };
}
