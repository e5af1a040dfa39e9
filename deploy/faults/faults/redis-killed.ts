import type { Fault } from '../fault.js';

export const redisKilled: Fault = {
  name: 'redis-killed',
  summary: 'Redis killed, and back empty after 10 s',
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, outageMs, pause, say, mended }) {
      await world.redis.server.kill();
      say('Redis is gone');
      await pause(outageMs(10_000));
      await world.redis.server.start();
      mended();
      say('Redis is back');
    },
  }),
};
