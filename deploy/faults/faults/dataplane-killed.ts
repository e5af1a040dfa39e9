import type { Fault } from '../fault.js';

const SECOND = 1;

export const dataplaneKilled: Fault = {
  name: 'dataplane-killed',
  summary: 'a data plane killed (-9), and started again after 2 s',
  isQuick: true,
  allowedLoss: 'killed',
  prepare: () => ({
    async run({ world, load, pause, say, mended }) {
      const [, second] = world.dataplanes;
      await load.setMode(SECOND, 'down');
      await second.server.kill();
      say('data plane 2 is gone');
      await pause(2_000);
      await second.server.start();
      await load.setMode(SECOND, 'up');
      mended();
      say('data plane 2 is back');
    },
  }),
};
