import type { Fault } from '../fault.js';
import { until } from '../until.js';

const TIMES = 3;
/** A broker waits 15 s for a killed member before it assigns the member's partitions to another one. */
const TAKE_OVER_TIMEOUT_MS = 40_000;

export const ingestKilled: Fault = {
  name: 'ingest-killed',
  summary: `ingest killed (-9) ${TIMES} times, each time while it stores hits`,
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({
    async run({ world, pause, say, mended }) {
      for (let time = 1; time <= TIMES; time += 1) {
        await world.ingest.kill();
        await world.ingest.start();
        const tookMs = await until(world.isIngesting, {
          timeoutMs: TAKE_OVER_TIMEOUT_MS,
          what: 'taking over',
        });
        say(`killed, and back at work after ${Math.round(tookMs)} ms, ${time} of ${TIMES}`);
        await pause(2_000);
      }
      mended();
    },
  }),
};
