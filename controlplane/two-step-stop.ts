import { allEnded } from '../shared/async/all-ended.js';

/**
 * Stops in two steps. The first step ends the component's own work. The second step closes resources that others may
 * still need.
 */
export interface TwoStepStop {
  /**
   * Takes the first step, once.
   *
   * @throws its error
   */
  retire(): Promise<void>;
  /**
   * Takes the first step unless it was already taken, then the second step, even if the first one fails.
   *
   * @throws {AggregateError} of the failures. If another caller took the first step, only that caller gets the error of
   *   it
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
