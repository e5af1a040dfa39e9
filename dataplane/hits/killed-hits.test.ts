import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ALL_REDIRECTS } from '../../shared/hits/all-redirects.js';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import {
  BAD_ADDRESS,
  createTestSink,
  markKilled,
  NOT_OF_BAD_ADDRESS,
  newRecorder,
  recordHits,
  spoolFiles,
  untilStats,
} from './hit-recorder.fixture.js';
import { type HitTotals, openHitTotalsFile, readHitTotals, writeHitTotals } from './hit-totals-file.js';

async function totalsFile(dataDir: string): Promise<string> {
  return (await spoolFiles(dataDir, '.totals'))[0]!;
}

/** Three batches of 10 hits in the spool of a killed producer, whose totals were last written as given. */
async function leaveBehind(dataDir: string, totals: Partial<HitTotals>): Promise<string> {
  const sink = createTestSink();
  sink.pause();
  const recorder = newRecorder({ sink, dataDir, limits: { stopTimeoutMs: 1 }, recoverProducers: false });
  recorder.start();
  for (let batch = 1; batch <= 3; batch += 1) {
    recordHits(recorder, 'r1', 10);
    await untilStats(recorder, { spooled: batch * 10 });
  }
  const filePath = await totalsFile(dataDir);
  // Its own last word is written first, so that it does not come after what is written here.
  await vi.waitFor(async () =>
    expect(await readHitTotals(filePath)).toMatchObject({ recorded: 30, kept: 30 }),
  );
  const file = await openHitTotalsFile(filePath);
  await writeHitTotals(file, { recorded: 30, dropped: 0, kept: 30, sequence: 3, ...totals });
  await file.close();
  await markKilled(dataDir);
  return path.basename(filePath, '.totals');
}

const closing = (producerId: string, sequence: number, recorded: number, dropped: number) => ({
  producerId,
  sequence,
  hitCount: 0,
  counters: [{ redirectId: ALL_REDIRECTS, requests: 0, recorded, dropped }],
});

describe('the hits of a killed process', () => {
  it('are counted where none of them was flushed, and the store is told', async () => {
    const dataDir = await temporaryFolder();
    const killed = newRecorder({
      sink: createTestSink(),
      dataDir,
      flushIntervalMs: 60_000,
      limits: { bufferedHits: 10 },
      recoverProducers: false,
    });
    killed.start();
    recordHits(killed, 'r1', 8);
    recordHits(killed, 'r2', 4);
    const totals = { recorded: 12, dropped: 2, kept: 0, sequence: 0 };
    await vi.waitFor(async () => expect(await readHitTotals(await totalsFile(dataDir))).toEqual(totals));
    const producerId = path.basename(await totalsFile(dataDir), '.totals');
    await markKilled(dataDir);

    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { lost: 10 });
    expect(sink.received).toMatchObject([closing(producerId, 1, 12, 2)]);
    await recorder.stop();
    expect(recorder.stats()).toMatchObject({ recorded: 0, dropped: 0, lost: 10 });
    expect(await spoolFiles(dataDir, '')).toEqual([]);
  });

  it.each([
    ['all batches', { recorded: 37, kept: 30, sequence: 3 }, 7],
    ['all batches but the last, written right before the end', { recorded: 37, kept: 20, sequence: 2 }, 7],
    ['a batch that was delivered from memory', { recorded: 47, dropped: 2, kept: 40, sequence: 4 }, 5],
  ])('are those in no batch, where its totals know %s', async (_what, totals, lost) => {
    const dataDir = await temporaryFolder();
    const producerId = await leaveBehind(dataDir, totals);
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 3, lost });
    const { recorded, sequence } = totals;
    expect(sink.received.at(-1)).toMatchObject(
      closing(producerId, Math.max(3, sequence) + 1, recorded, 'dropped' in totals ? 2 : 0),
    );
  });

  it('are none where all of them are in batches', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, {});
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 3 });
    await recorder.stop();
    expect(sink.received.map(({ hitCount }) => hitCount)).toEqual([10, 10, 10]);
    expect(recorder.stats().lost).toBe(0);
  });

  it('are told alike when the one that took over is killed before it could tell', async () => {
    const dataDir = await temporaryFolder();
    const producerId = await leaveBehind(dataDir, { recorded: 37, kept: 20, sequence: 2 });
    const sink = createTestSink();
    const choosy = {
      ...sink,
      deliver: async (encoded: Uint8Array) => {
        const decoded = decodeHitBatch(encoded);
        if (decoded.ok && decoded.batch.hitCount === 0) throw new Error('not this one');
        await sink.deliver(encoded);
      },
    };
    const first = newRecorder({ sink: choosy, dataDir });
    first.start();
    await untilStats(first, { recoveredBatches: 3, spoolBytes: 0 });
    await markKilled(dataDir);

    const second = newRecorder({ sink, dataDir });
    second.start();
    await untilStats(second, { lost: 7 });
    expect(sink.received.at(-1)).toMatchObject(closing(producerId, 4, 37, 0));
    expect(first.stats().lost).toBe(0);
  });

  it('are counted once where two take over at the same time', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, { recorded: 37, kept: 20, sequence: 2 });
    const slow = createTestSink();
    slow.pause();
    const first = newRecorder({ sink: slow, dataDir });
    first.start();
    await expect.poll(() => slow.attempts).toBe(1);
    const second = newRecorder({ sink: createTestSink(), dataDir });
    second.start();
    await untilStats(second, { recoveredBatches: 3, lost: 7 });

    slow.resume();
    await expect.poll(() => slow.received.length).toBe(4);
    await first.stop();
    expect(first.stats()).toMatchObject({ recoveredBatches: 3, lost: 0 });
    expect(await spoolFiles(dataDir, '.totals'), 'that of the second').toHaveLength(1);
  });

  it('are not those that it had given up itself', async () => {
    const dataDir = await temporaryFolder();
    const killed = newRecorder({
      sink: createTestSink(),
      dataDir,
      places: NOT_OF_BAD_ADDRESS,
      recoverProducers: false,
    });
    killed.start();
    recordHits(killed, 'r1', 3);
    killed.claim(killed.tallyOf('r1'), 'r1', 1)!.address = BAD_ADDRESS;
    await untilStats(killed, { recorded: 4, dropped: 4 });
    const totals = { recorded: 4, dropped: 4, kept: 0 };
    await vi.waitFor(async () =>
      expect(await readHitTotals(await totalsFile(dataDir))).toMatchObject(totals),
    );
  });

  it('are unknown where the totals are damaged, and its batches are delivered', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, { recorded: 37 });
    const filePath = await totalsFile(dataDir);
    const bytes = await readFile(filePath);
    bytes[10] = 0xff;
    await writeFile(filePath, bytes);
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 3 });
    await recorder.stop();
    expect(recorder.stats().lost).toBe(0);
    expect(await spoolFiles(dataDir, '')).toEqual([]);
  });
});

it('the store is told of what an orderly stop had to give up, once it has been counted as dropped', async () => {
  const dataDir = await temporaryFolder();
  const sink = createTestSink();
  sink.pause();
  const first = newRecorder({ sink, dataDir, limits: { spoolBytes: 0, stopTimeoutMs: 1 } });
  first.start();
  recordHits(first, 'r1', 9);
  await untilStats(first, { spooled: 9 });
  await first.stop();
  expect(first.stats()).toMatchObject({ recorded: 9, dropped: 9 });

  sink.resume();
  const received = createTestSink();
  const second = newRecorder({ sink: received, dataDir });
  second.start();
  await expect.poll(() => received.received.length).toBe(1);
  expect(received.received).toMatchObject([
    { counters: [{ redirectId: ALL_REDIRECTS, recorded: 9, dropped: 9 }] },
  ]);
  expect(second.stats().lost).toBe(0);
});
