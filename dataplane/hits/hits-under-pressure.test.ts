import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { createTestSink, newRecorder, recordHits, untilStats } from './hit-recorder.fixture.js';

/** Slots of the ring. */
const SLOTS = 65_536;
const SOME_KIB = Buffer.alloc(8_192);

/** Takes some microseconds of processor time, as answering a visitor does. */
function answer(visit: number): string {
  return `/${visit}/${createHash('sha256').update(SOME_KIB).digest('hex').slice(0, 8)}`;
}

describe('a data plane short of processor time, which answers hundreds of visitors in each turn', () => {
  it.each([500, 1_000])('drops no hit of %d a turn while the spool has room', async (hitsPerTurn) => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), flushIntervalMs: 250 });
    recorder.start();
    let recorded = 0;
    let mostBuffered = 0;
    while (recorded < 3 * SLOTS) {
      recordHits(recorder, 'r1', hitsPerTurn, () => answer(recorded++));
      mostBuffered = Math.max(mostBuffered, recorder.stats().buffered);
      await nextTurn();
    }
    expect(recorder.stats()).toMatchObject({ recorded, dropped: 0 });
    expect(mostBuffered).toBeLessThan(SLOTS);
    await untilStats(recorder, { delivered: recorded, buffered: 0 });
  });
});

it('drops hits of a flooded redirect only, when sink and disk take no more', async () => {
  const sink = createTestSink();
  sink.pause();
  const limits = { bufferedHits: 4_000, spoolBytes: 10_000, memoryBytes: 0, stopTimeoutMs: 200 };
  const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), limits, flushIntervalMs: 5 });
  recorder.start();
  recordHits(recorder, 'quiet', 1);
  recordHits(recorder, 'flooded', 6_000);
  for (let turn = 0; turn < 50; turn += 1) {
    expect(recordHits(recorder, 'quiet', 10)).toBe(10);
    recordHits(recorder, 'flooded', 500);
    await nextTurn();
  }
  const { dropped, refusedByShare } = recorder.stats();
  expect(dropped).toBeGreaterThan(20_000);
  expect(refusedByShare).toBe(dropped);
});
