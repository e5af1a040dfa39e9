import { writeFileSync } from 'node:fs';
import type { Fault } from '../fault.js';

const HOUR_MS = 3_600_000;
const JUMPED =
  "SELECT toFloat64(countIf(abs(dateDiff('minute', timestamp, now64(3, 'UTC'))) > 30)) AS jumped FROM hits";
const CLOCK = new URL('../servers/clock-shift.js', import.meta.url);

/** Jump of `Date`, as when an operator sets the clock. The monotonic clock does not jump. */
export const clockJump: Fault = {
  name: 'clock-jump',
  summary: 'the clock of one data plane jumps an hour ahead, then an hour back, then right again',
  isQuick: false,
  allowedLoss: 'none',
  prepare() {
    let setClock = (_shiftMs: number) => {};
    return {
      world: {
        second(folder) {
          const file = folder.path('clock-shift');
          setClock = (shiftMs) => writeFileSync(file, String(shiftMs));
          setClock(0);
          return { environment: { NODE_OPTIONS: `--import ${CLOCK.href}?file=${file}` } };
        },
      },
      async run({ world, outageMs, pause, say, check, mended }) {
        for (const shiftMs of [HOUR_MS, -HOUR_MS, 0]) {
          setClock(shiftMs);
          say(`the clock is ${shiftMs / HOUR_MS} h ahead`);
          await pause(outageMs(5_000));
        }
        const [hits] = await world.clickhouse.query<{ jumped: number }>(JUMPED);
        say(`${hits?.jumped} hits have a time far from the true one`);
        check((hits?.jumped ?? 0) > 0, 'no hit has a time far from the true one: the clock did not jump');
        mended();
      },
    };
  },
};
