import { allEnded } from '../shared/async/all-ended.js';

/** The end of something that others may need for a while after it has ceased to work by itself. */
export interface TwoStepStop {
  /** Takes the first step, once. @throws what it rejects with */
  retire(): Promise<void>;
  /**
   * Takes the first step, unless that was done, and then the second one, whatever became of the first.
   *
   * @throws {AggregateError} of what failed, but for a first step that somebody else took: whoever did was told of it
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
