import type { Fault } from '../fault.js';

export const redisPaused: Fault = {
  name: 'redis-paused',
  summary: 'Redis stands still for 10 s (SIGSTOP)',
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, outageMs, pause, say, mended }) {
      world.redis.server.pause();
      say('Redis stands still');
      await pause(outageMs(10_000));
      world.redis.server.resume();
      mended();
      say('Redis goes on');
    },
  }),
};
