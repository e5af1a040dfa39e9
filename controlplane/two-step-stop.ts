import { allEnded } from '../shared/async/all-ended.js';

/** Stops in two steps: first it ends its own work, then what others may still need. */
export interface TwoStepStop {
  /**
   * Takes the first step, once.
   *
   * @throws its error
   */
  retire(): Promise<void>;
  /**
   * Takes the first step, unless it was taken, and then the second one, even if the first fails.
   *
   * @throws {AggregateError} of the failures, except that of a first step that another caller took: that caller has
   * its error
   */
  stop(): Promise<void>;
}

export function createTwoStepStop(steps: {
  readonly retire: () => Promise<void>;
  readonly close: () => Promise<void>;
}): TwoStepStop {
  let retiring: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  function retire(): Promise<void> {
    retiring ??= steps.retire();
    return retiring;
  }

  return {
    retire,
    async stop() {
      const wasRetired = retiring !== undefined;
      await Promise.allSettled([retire()]);
      closing ??= steps.close();
      await allEnded([wasRetired ? undefined : retire(), closing]);
    },
  };
}
