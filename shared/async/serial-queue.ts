/** Runs tasks one after another, in the order in which they came. A task that fails does not stop the next. */
export interface SerialQueue {
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();

  return {
    run(task) {
      const result = last.then(task);
      last = result.catch(() => undefined);
      return result;
    },
  };
}
