import { appendFile, open, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import {
  createTestSink,
  hitIds,
  markKilled,
  newRecorder,
  recordHits,
  spoolFiles,
  storedOnce,
  untilStats,
} from './hit-recorder.fixture.js';

/** A producer that recorded `batches` batches of 10 hits, none of which it could deliver, and was killed. */
async function leaveBehind(dataDir: string, batches: number, segmentBytes = 4_000_000): Promise<void> {
  const sink = createTestSink();
  sink.pause();
  const limits = { segmentBytes, stopTimeoutMs: 1 };
  const recorder = newRecorder({ sink, dataDir, limits, recoverProducers: false });
  recorder.start();
  for (let batch = 1; batch <= batches; batch += 1) {
    recordHits(recorder, 'r1', 10);
    await untilStats(recorder, { spooled: batch * 10 });
  }
  await markKilled(dataDir);
}

describe('the recovery of spooled hits', () => {
  it('delivers what a killed process had flushed, as it was, in order, and then forgets it', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 12, 2_000);
    expect((await spoolFiles(dataDir, '.spool')).length, 'segments').toBeGreaterThan(2);
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 12, spoolBytes: 0 });
    const producerId = sink.received[0]!.producerId;
    expect(sink.received.map((batch) => batch.sequence)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(hitIds(sink.received)).toEqual(Array.from({ length: 120 }, (_, i) => `${producerId}-${i + 1}`));
    await recorder.stop();
    expect(await spoolFiles(dataDir, '')).toEqual([]);
  });

  it('goes on when the new process is killed as well', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 3);
    await leaveBehind(dataDir, 4);
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 7 });
    expect(new Set(hitIds(sink.received)).size).toBe(70);
  });

  it('does not say how much is on disk before it has looked', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 3);
    const sink = createTestSink();
    sink.pause();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    expect(recorder.stats().spoolBytes).toBeUndefined();
    await vi.waitFor(() => expect(recorder.stats().spoolBytes).toBeGreaterThan(0));
  });

  it('does not keep new hits waiting while it cannot deliver old ones', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 1);
    const oldProducerId = path.basename((await spoolFiles(dataDir, '.lock'))[0]!, '.lock');
    const sink = createTestSink();
    const choosy = {
      ...sink,
      deliver: async (encoded: Uint8Array) => {
        if (Buffer.from(encoded).includes(oldProducerId)) throw new Error('not this one');
        await sink.deliver(encoded);
      },
    };
    const recorder = newRecorder({ sink: choosy, dataDir });
    recorder.start();
    recordHits(recorder, 'r2', 5);
    await untilStats(recorder, { delivered: 5, recoveredBatches: 0 });
    await expect.poll(() => spoolFiles(dataDir, '.spool')).toHaveLength(1);
  });

  it('delivers at the next start what could not be delivered before an orderly stop', async () => {
    const dataDir = await temporaryFolder();
    const unreachable = createTestSink();
    unreachable.pause();
    const first = newRecorder({ sink: unreachable, dataDir, limits: { stopTimeoutMs: 0 } });
    first.start();
    recordHits(first, 'r1', 40);
    await first.stop();
    expect(first.stats()).toMatchObject({ recorded: 40, spooled: 40, dropped: 0 });

    const sink = createTestSink();
    const second = newRecorder({ sink, dataDir });
    second.start();
    recordHits(second, 'r1', 2);
    await untilStats(second, { recoveredBatches: 1, delivered: 2 });
    expect(hitIds(storedOnce(sink.received))).toHaveLength(42);
  });

  it('does not wait at its stop for a sink that is gone for good', async () => {
    const gone = createTestSink();
    gone.pause();
    const recorder = newRecorder({
      sink: gone,
      sinkGone: AbortSignal.abort(),
      dataDir: await temporaryFolder(),
      limits: { stopTimeoutMs: 60_000 },
    });
    recorder.start();
    recordHits(recorder, 'r1', 40);
    await recorder.stop();
    expect(recorder.stats()).toMatchObject({ recorded: 40, spooled: 40, dropped: 0 });
  });

  it('leaves alone what a running process has spooled', async () => {
    const dataDir = await temporaryFolder();
    const slow = createTestSink();
    slow.pause();
    const first = newRecorder({ sink: slow, dataDir });
    first.start();
    recordHits(first, 'r1', 10);
    await untilStats(first, { spooled: 10 });

    const sink = createTestSink();
    const second = newRecorder({ sink, dataDir });
    second.start();
    recordHits(second, 'r1', 10);
    await untilStats(second, { delivered: 10 });
    await second.stop();
    expect(sink.received).toHaveLength(1);
    slow.resume();
    await untilStats(first, { delivered: 10 });
  });

  it('cuts off a last record that was not written to its end, and says so', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 3);
    const segment = (await spoolFiles(dataDir, '.spool'))[0]!;
    const { size } = await stat(segment);
    await truncate(segment, size - 1);
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 2, spoolBytes: 0 });
    expect(recorder.stats().damagedBytes).toBeGreaterThan(100);
    expect(sink.received.map((batch) => batch.sequence)).toEqual([1, 2]);
  });

  it.each([
    ['a part of a length', Buffer.of(0, 0, 1)],
    ['zeros', Buffer.alloc(4096)],
    ['a length beyond all bounds', Buffer.alloc(64, 0xff)],
  ])('reads all records before %s at the end', async (_name, garbage) => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 2);
    await appendFile((await spoolFiles(dataDir, '.spool'))[0]!, garbage);
    const recorder = newRecorder({ sink: createTestSink(), dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 2, damagedBytes: garbage.length, spoolBytes: 0 });
  });

  it('skips a damaged record and delivers those behind it', async () => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 3);
    const segment = await open((await spoolFiles(dataDir, '.spool'))[0]!, 'r+');
    await segment.write(Buffer.from('?'), 0, 1, 60);
    await segment.close();
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    await untilStats(recorder, { recoveredBatches: 2, spoolBytes: 0 });
    expect(sink.received.map((batch) => batch.sequence)).toEqual([2, 3]);
    expect(recorder.stats().damagedBytes).toBeGreaterThan(100);
  });

  it.each([
    ['just touched', 0, 0],
    ['not touched for a minute', 60_000, 1],
  ])('takes over from another container only by the age of its lock: %s', async (_name, ageMs, batches) => {
    const dataDir = await temporaryFolder();
    await leaveBehind(dataDir, 1);
    const lock = (await spoolFiles(dataDir, '.lock'))[0]!;
    await writeFile(lock, JSON.stringify({ pid: 1, startTicks: '1', scope: 'another container' }));
    const touched = new Date(Date.now() - ageMs);
    await utimes(lock, touched, touched);
    const recorder = newRecorder({ sink: createTestSink(), dataDir });
    recorder.start();
    recordHits(recorder, 'r1', 1);
    await untilStats(recorder, { delivered: 1, recoveredBatches: batches });
    await recorder.stop();
    expect(recorder.stats().recoveredBatches).toBe(batches);
  });

  it('writes no full address anywhere', async () => {
    const dataDir = await temporaryFolder();
    const sink = createTestSink();
    sink.pause();
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    const addresses = ['203.0.113.77', '2001:db8:7:8:9:a:b:c', '::ffff:198.51.100.23'];
    for (const address of addresses) {
      const slot = recorder.claim(recorder.tallyOf('r1'), 'r1', 1)!;
      slot.address = address;
      slot.userAgent = 'Firefox';
    }
    await untilStats(recorder, { spooled: 3 });
    const files = await Promise.all((await spoolFiles(dataDir, '')).map((file) => readFile(file, 'latin1')));
    sink.resume();
    await untilStats(recorder, { delivered: 3 });
    const blocks = sink.received.map(({ block }) => brotliDecompressSync(block).toString('latin1'));
    const encoded = sink.encoded.map((bytes) => Buffer.from(bytes).toString('latin1'));
    const written = [...files, ...encoded, ...blocks].join('\n');
    expect(written, 'what is stored instead').toContain('203.0.113.0');
    expect(written).toContain('2001:db8:7::');
    for (const secret of [...addresses, '9:a:b:c', '198.51.100.23', 'c633:6417']) {
      expect(written).not.toContain(secret);
    }
  });
});
