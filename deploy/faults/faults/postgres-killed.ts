import type { Fault } from '../fault.js';

export const postgresKilled: Fault = {
  name: 'postgres-killed',
  summary: 'PostgreSQL killed (-9) during writes for 10 s',
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, writers, outageMs, pause, say, check, mended }) {
      await world.postgres.server.kill();
      say('PostgreSQL is gone');
      await pause(outageMs(10_000));
      check(writers.uncertain > 0, 'no write was refused while PostgreSQL was gone');
      await world.postgres.server.start();
      say(`PostgreSQL is back; ${writers.uncertain} writes were not acknowledged`);
      mended();
    },
  }),
};
