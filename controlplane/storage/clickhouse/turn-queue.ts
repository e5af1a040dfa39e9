/** Runs tasks one after another, in the order in which they came. A task that fails does not stop the next. */
export interface TurnQueue {
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

export function createTurnQueue(): TurnQueue {
  let last: Promise<unknown> = Promise.resolve();

  return {
    run(task) {
      const turn = last.then(task);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
