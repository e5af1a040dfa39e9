/** Runs tasks one after another, in the order in which they came. A task that fails does not stop the next. */
export interface TurnQueue {
  /** Tasks waiting or running. */
  readonly length: number;
  run<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Resolves when everything that was queued up to now has ended. */
  drained(): Promise<void>;
}

export function createTurnQueue(): TurnQueue {
  let last: Promise<unknown> = Promise.resolve();
  let length = 0;

  return {
    get length() {
      return length;
    },
    run(task) {
      length += 1;
      const turn = last.then(task).finally(() => {
        length -= 1;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    async drained() {
      await last;
    },
  };
}
