import type { Fault } from '../fault.js';

const TIMES = 3;

export const redisFlushed: Fault = {
  name: 'redis-flushed',
  summary: `Redis forgets everything (FLUSHALL), ${TIMES} times`,
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, outageMs, pause, say, mended }) {
      for (let time = 1; time <= TIMES; time += 1) {
        await world.redis.flush();
        say('Redis is empty');
        if (time < TIMES) await pause(outageMs(3_000));
      }
      mended();
    },
  }),
};
