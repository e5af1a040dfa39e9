import type { Fault } from '../fault.js';
import { createHintFilter, type HintCounts, type HintTreatment } from '../servers/hint-filter.js';

export const hintsGarbled: Fault = {
  name: 'hints-garbled',
  summary: 'pub/sub messages dropped, doubled and reordered for 10 s, then all dropped',
  isQuick: true,
  allowedLoss: 'none',
  prepare() {
    let treatment: HintTreatment = 'passed';
    const counts: HintCounts = { passed: 0, dropped: 0, doubled: 0, reordered: 0 };
    return {
      world: { redisFilter: () => createHintFilter(() => treatment, counts) },
      async run({ outageMs, pause, say, check, mended }) {
        check(counts.passed > 0, 'no message came through while all was well');
        treatment = 'garbled';
        await pause(outageMs(10_000));
        check(
          counts.dropped > 0 && counts.doubled > 0 && counts.reordered > 0,
          'the messages were not garbled',
        );
        // From here to the end no hint arrives, so only polling finds changes.
        treatment = 'dropped';
        await pause(outageMs(10_000));
        say(
          `${counts.dropped} messages dropped, ${counts.doubled} doubled, ${counts.reordered} pairs exchanged`,
        );
        mended();
      },
    };
  },
};
