import { createJudging, type StartJudging } from './judging.js';

/** Judges in the thread of the tests, so the tests need no build. */
export const judgeInPlace: StartJudging = async (definition, pages, signal) => {
  const { facts, judge, result } = createJudging(definition, pages);
  return {
    facts,
    async judge(blocks, slice, factsOfBlocks) {
      signal.throwIfAborted();
      return judge(blocks, slice, factsOfBlocks);
    },
    result: async () => result(),
    end: async () => undefined,
  };
};
