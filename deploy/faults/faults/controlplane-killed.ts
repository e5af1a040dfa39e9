import type { Fault } from '../fault.js';

const TIMES = 3;

export const controlplaneKilled: Fault = {
  name: 'controlplane-killed',
  summary: `the control plane killed (-9) during writes, ${TIMES} times`,
  isQuick: true,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, writers, outageMs, times, pause, say, mended }) {
      const kills = times(TIMES);
      for (let time = 1; time <= kills; time += 1) {
        await world.controlplane.kill();
        await pause(outageMs(2_000));
        await world.controlplane.start();
        say(
          `killed and started again, ${time} of ${kills}; ${writers.uncertain} writes were not acknowledged`,
        );
        if (time < kills) await pause(2_000);
      }
      mended();
    },
  }),
};
