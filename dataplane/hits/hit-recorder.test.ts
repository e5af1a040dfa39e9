import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { MAX_VARIANT_LENGTH } from '../../shared/hits/batch-bounds.js';
import { hitRowsIn } from '../../shared/hits/hit-block.fixture.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import {
  BAD_ADDRESS,
  createTestSink,
  hitIds,
  incompressiblePath,
  NOT_OF_BAD_ADDRESS,
  newRecorder,
  recordHits,
  SOUTH_POLE,
  spoolFiles,
  storedOnce,
  untilStats,
} from './hit-recorder.fixture.js';
import type { RuleTally } from './hit-recorder.js';

describe('the hit recorder', () => {
  it('delivers every hit once, numbered without gaps, with the counters', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder() });
    recorder.start();
    for (let round = 0; round < 5; round += 1) {
      recordHits(recorder, 'r1', 300);
      recordHits(recorder, 'r2', 7);
      await untilStats(recorder, { delivered: (round + 1) * 307 });
    }
    const producerId = sink.received[0]!.producerId;
    expect(producerId).toMatch(/^[a-z0-9]{12,}$/);
    expect(hitIds(sink.received)).toEqual(Array.from({ length: 1535 }, (_, i) => `${producerId}-${i + 1}`));
    expect(sink.received.map((batch) => batch.sequence)).toEqual(sink.received.map((_, i) => i + 1));
    expect(sink.received.at(-1)!.counters).toEqual([
      { redirectId: 'r1', requests: 1500, recorded: 1500, dropped: 0 },
      { redirectId: 'r2', requests: 35, recorded: 35, dropped: 0 },
    ]);
  });

  it('sends counters without hits, and nothing when nothing happened', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder() });
    recorder.start();
    recorder.countRequest(recorder.tallyOf('r1'));
    recorder.countRequest(recorder.tallyOf('r1'));
    await expect.poll(() => sink.received.length).toBe(1);
    // What comes next is the next flush that had something to say, however many there were in between.
    recordHits(recorder, 'r2', 1);
    await untilStats(recorder, { delivered: 1 });
    expect(sink.received).toMatchObject([
      { hitCount: 0, counters: [{ redirectId: 'r1', requests: 2, recorded: 0, dropped: 0 }] },
      { hitCount: 1, counters: [{ redirectId: 'r2', requests: 1, recorded: 1, dropped: 0 }] },
    ]);
  });

  it('gives the same tally for the same redirect', async () => {
    const recorder = newRecorder({ sink: createTestSink(), dataDir: await temporaryFolder() });
    expect(recorder.tallyOf('r1')).toBe(recorder.tallyOf('r1'));
    expect(recorder.tallyOf('r1')).not.toBe(recorder.tallyOf('r2'));
  });

  it('gives the same tally for the same variant of the same rule', async () => {
    const { ruleTallyOf } = newRecorder({ sink: createTestSink(), dataDir: await temporaryFolder() });
    const tallies = [
      ruleTallyOf('r1', 1, ''),
      ruleTallyOf('r1', 1, 'a'),
      ruleTallyOf('r1', 1, 'b'),
      ruleTallyOf('r1', 12, ''),
      ruleTallyOf('r1', 2, '1'),
      ruleTallyOf('r2', 1, 'a'),
    ];
    expect(new Set(tallies).size).toBe(tallies.length);
    expect(ruleTallyOf('r1', 1, 'a')).toBe(tallies[1]);
  });

  it('counts every decision of a rule, recorded or not, in totals that only grow', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder() });
    const [blue, green] = [recorder.ruleTallyOf('r1', 7, 'blue'), recorder.ruleTallyOf('r1', 7, 'green')];
    const decide = (tally: RuleTally, times: number) => {
      for (let time = 0; time < times; time += 1) recorder.countMatch(tally, time % 2 === 0);
    };
    recorder.start();
    decide(blue, 3);
    decide(green, 1);
    await expect.poll(() => sink.received.length).toBe(1);
    decide(blue, 4);
    await expect.poll(() => sink.received.length).toBe(2);
    expect(sink.received.map((batch) => [batch.hitCount, batch.counters, batch.ruleCounters])).toEqual([
      [
        0,
        [],
        [
          { redirectId: 'r1', ruleId: 7, variant: 'blue', hits: 3, humanHits: 2 },
          { redirectId: 'r1', ruleId: 7, variant: 'green', hits: 1, humanHits: 1 },
        ],
      ],
      [0, [], [{ redirectId: 'r1', ruleId: 7, variant: 'blue', hits: 7, humanHits: 4 }]],
    ]);
  });

  it('counts as decisions for people exactly those whose stored hits are of no bot', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder() });
    const tally = recorder.tallyOf('r1');
    const ruleTally = recorder.ruleTallyOf('r1', 7, '');
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const agents = [
      firefox,
      '',
      'curl/8.5.0',
      'Twitterbot/1.0',
      firefox.padEnd(3_000, ' x'),
      'x'.repeat(3_000),
    ];
    recorder.start();
    for (const userAgent of agents) {
      for (const method of ['GET', 'HEAD', 'head', 'POST']) {
        for (const purpose of ['', 'prefetch', 'other']) {
          recorder.countMatch(ruleTally, recorder.isPerson(method, purpose, userAgent));
          Object.assign(recorder.claim(tally, 'r1', 1)!, { userAgent, method, purpose });
        }
      }
    }
    await recorder.stop();
    const rows = hitRowsIn(sink.received[0]!.block);
    const people = rows.filter(({ is_bot }) => is_bot === 0);
    expect(sink.received[0]!.ruleCounters).toMatchObject([{ hits: rows.length, humanHits: people.length }]);
    expect([rows.length, people.length]).toEqual([72, 8]);
  });

  it.each([
    ['too long', 'x'.repeat(MAX_VARIANT_LENGTH + 1), 'x'.repeat(MAX_VARIANT_LENGTH)],
    ['no Unicode', 'a\ud800', 'a\ufffd'],
  ])('counts a variant whose name is %s under a name that can be stored', async (_, variant, stored) => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder() });
    recorder.start();
    recorder.countMatch(recorder.ruleTallyOf('r1', 7, variant), true);
    await expect.poll(() => sink.received.length).toBe(1);
    expect(sink.received[0]!.ruleCounters).toEqual([
      { redirectId: 'r1', ruleId: 7, variant: stored, hits: 1, humanHits: 1 },
    ]);
  });

  it('splits a large flush into bounded batches, the counters of both kinds with the last hits', async () => {
    const sink = createTestSink();
    const limits = { batchRows: 1000, batchCounters: 2, stopTimeoutMs: 10_000 };
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), limits });
    for (const id of ['r1', 'r2', 'r3', 'r4', 'r5']) recordHits(recorder, id, 500);
    for (const ruleId of [1, 2, 3, 4]) recorder.countMatch(recorder.ruleTallyOf('r1', ruleId, ''), true);
    recorder.start();
    await recorder.stop();
    const { received } = sink;
    expect(
      received.map((batch) => [batch.hitCount, batch.counters.length, batch.ruleCounters.length]),
    ).toEqual([
      [1000, 0, 0],
      [1000, 0, 0],
      [500, 2, 0],
      [0, 2, 0],
      [0, 1, 1],
      [0, 0, 2],
      [0, 0, 1],
    ]);
    expect(received.flatMap((batch) => batch.ruleCounters.map(({ ruleId }) => ruleId))).toEqual([1, 2, 3, 4]);
  });

  it('closes a batch where a month ends', async () => {
    const sink = createTestSink();
    const february = Date.UTC(2026, 1, 1);
    let time = february - 3;
    const limits = { stopTimeoutMs: 10_000 };
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), limits, now: () => time++ });
    recordHits(recorder, 'r1', 5);
    recorder.start();
    await recorder.stop();
    expect(sink.received.map(({ firstOrdinal, hitCount }) => [firstOrdinal, hitCount])).toEqual([
      [1, 3],
      [4, 2],
    ]);
    expect(hitRowsIn(sink.received[1]!.block)).toMatchObject([
      { ordinal: 4, timestamp: february },
      { ordinal: 5 },
    ]);
  });

  it('closes a batch where its texts reach their bound', async () => {
    const sink = createTestSink();
    const limits = { batchBytes: 10_000, stopTimeoutMs: 10_000 };
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), limits });
    recordHits(recorder, 'r1', 20, incompressiblePath);
    recorder.start();
    await recorder.stop();
    expect(sink.received.map(({ hitCount }) => hitCount)).toEqual([5, 5, 5, 5]);
  });

  it('never tells of more decisions than it has delivered hits of', async () => {
    const sink = createTestSink();
    const limits = { batchRows: 50 };
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), flushIntervalMs: 1, limits });
    const tally = recorder.ruleTallyOf('r1', 7, '');
    recorder.start();
    for (let turn = 0; turn < 300; turn += 1) {
      for (let hit = 0; hit < 20; hit += 1) recorder.countMatch(tally, hit < 15);
      recordHits(recorder, 'r1', 20);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await untilStats(recorder, { delivered: 6000 });
    let delivered = 0;
    for (const { hitCount, counters, ruleCounters } of sink.received) {
      delivered += hitCount;
      for (const { recorded } of counters) expect(recorded).toBeLessThanOrEqual(delivered);
      for (const { hits } of ruleCounters) expect(hits).toBeLessThanOrEqual(delivered);
    }
    expect(sink.received.at(-1)!.ruleCounters).toEqual([
      { redirectId: 'r1', ruleId: 7, variant: '', hits: 6000, humanHits: 4500 },
    ]);
  });

  it('describes what the rule decided, and place, device and referrer of the visitor', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder() });
    recorder.start();
    const slot = recorder.claim(recorder.tallyOf('r1'), 'r1', 1)!;
    slot.ruleId = 7;
    slot.variant = 'blue';
    slot.userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';
    slot.referrer = 'https://www.search.example/';
    slot.address = SOUTH_POLE;
    await untilStats(recorder, { delivered: 1 });
    expect(hitRowsIn(sink.received[0]!.block)).toMatchObject([
      {
        rule_id: 7,
        variant: 'blue',
        country: 'AQ',
        browser_name: 'Firefox',
        referrer_domain: 'search.example',
      },
    ]);
  });

  it.each(['flushed', 'stopped'])(
    'counts a block that cannot be made as dropped, and goes on, when %s',
    async (when) => {
      const sink = createTestSink();
      const flushIntervalMs = when === 'flushed' ? 5 : 60_000;
      const recorder = newRecorder({
        sink,
        dataDir: await temporaryFolder(),
        places: NOT_OF_BAD_ADDRESS,
        flushIntervalMs,
      });
      recordHits(recorder, 'r1', 4);
      const tally = recorder.tallyOf('r1');
      recorder.countRequest(tally);
      recorder.claim(tally, 'r1', 1)!.address = BAD_ADDRESS;
      recordHits(recorder, 'r1', 5);
      recorder.countMatch(recorder.ruleTallyOf('r1', 7, ''), true);
      recorder.start();
      if (when === 'stopped') await recorder.stop();
      await untilStats(recorder, { recorded: 10, dropped: 5, delivered: 5, buffered: 0, spooled: 0 });
      expect(new Set(hitIds(sink.received)).size).toBe(5);
      // They may come by themselves, after the hits.
      await vi.waitFor(() =>
        expect(sink.received.at(-1)).toMatchObject({
          counters: [{ redirectId: 'r1', requests: 10, recorded: 10 }],
          ruleCounters: [{ redirectId: 'r1', ruleId: 7, hits: 1 }],
        }),
      );
    },
  );

  it('counts to the hit what found no room in the buffer', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), limits: { bufferedHits: 100 } });
    expect(recordHits(recorder, 'r1', 60)).toBe(60);
    expect(recordHits(recorder, 'r2', 60)).toBe(40);
    expect(recorder.stats()).toMatchObject({ recorded: 120, dropped: 20, buffered: 100 });
    recorder.start();
    await untilStats(recorder, { recorded: 120, dropped: 20, delivered: 100, buffered: 0, spooled: 0 });
    expect(hitIds(sink.received)).toHaveLength(100);
    expect(sink.received.at(-1)!.counters).toEqual([
      { redirectId: 'r1', requests: 60, recorded: 60, dropped: 0 },
      { redirectId: 'r2', requests: 60, recorded: 60, dropped: 20 },
    ]);
    expect(recordHits(recorder, 'r1', 100), 'there is room again').toBe(100);
  });

  it('keeps within the bound of the buffer, and the order, where hits are encoded before the next flush', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({
      sink,
      dataDir: await temporaryFolder(),
      flushIntervalMs: 60_000,
      limits: { bufferedHits: 100 },
    });
    let hits = 0;
    const taken: number[] = [];
    recorder.start();
    for (let turn = 0; turn < 3; turn += 1) {
      taken.push(recordHits(recorder, 'r1', 40, () => `/${hits++}`));
      await nextTurn();
    }
    expect(taken).toEqual([40, 40, 20]);
    expect(recorder.stats()).toMatchObject({ recorded: 120, dropped: 20, buffered: 100, delivered: 0 });
    await recorder.stop();
    const rows = sink.received.flatMap(({ block }) => hitRowsIn(block));
    expect(rows.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, hit) => `/${hit}`));
    expect(sink.received.at(-1)!.counters).toEqual([
      { redirectId: 'r1', requests: 120, recorded: 120, dropped: 20 },
    ]);
  });

  it('hands full batches over before the next flush, with which the counters go', async () => {
    const sink = createTestSink();
    const limits = { batchRows: 64 };
    const dataDir = await temporaryFolder();
    const recorder = newRecorder({ sink, dataDir, limits, flushIntervalMs: 60_000 });
    recorder.start();
    let hits = 0;
    await vi.waitFor(() => {
      hits += recordHits(recorder, 'r1', 40);
      expect(recorder.stats().delivered).toBeGreaterThanOrEqual(128);
    });
    for (const { hitCount, counters } of sink.received)
      expect({ hitCount, counters }).toEqual({ hitCount: 64, counters: [] });
    await recorder.stop();
    expect(new Set(hitIds(sink.received)).size).toBe(hits);
    expect(sink.received.at(-1)!.counters).toMatchObject([{ redirectId: 'r1', recorded: hits }]);
  });

  it('takes hits while it flushes and loses none of them', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), flushIntervalMs: 1 });
    recorder.start();
    for (let turn = 0; turn < 400; turn += 1) {
      recordHits(recorder, 'r1', 50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await untilStats(recorder, { recorded: 20_000, delivered: 20_000, dropped: 0 });
    expect(new Set(hitIds(sink.received)).size).toBe(20_000);
  });

  it('repeats what the sink refused, in order, until it is taken', async () => {
    const sink = createTestSink();
    sink.failNext(3);
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), random: () => 0 });
    recorder.start();
    for (let round = 1; round <= 4; round += 1) {
      recordHits(recorder, 'r1', 10);
      await untilStats(recorder, { buffered: 0, recorded: round * 10 });
    }
    await untilStats(recorder, { delivered: 40, deliveryErrors: 3 });
    expect(sink.received.map((batch) => batch.sequence)).toEqual([1, 2, 3, 4]);
    expect(sink.attempts).toBe(7);
  });

  it('waits for a slow sink with one batch at a time and leaves nothing on disk in the end', async () => {
    const sink = createTestSink();
    sink.pause();
    const dataDir = await temporaryFolder();
    const limits = { memoryBytes: 20_000, segmentBytes: 10_000 };
    const recorder = newRecorder({ sink, dataDir, limits });
    recorder.start();
    for (let round = 1; round <= 20; round += 1) {
      recordHits(recorder, 'r1', 20, incompressiblePath);
      await untilStats(recorder, { buffered: 0, spooled: round * 20 });
    }
    expect(sink.attempts).toBe(1);
    expect(recorder.stats().spoolBytes, 'more than memory may hold').toBeGreaterThan(2 * limits.memoryBytes);
    sink.resume();
    await untilStats(recorder, { delivered: 400, dropped: 0, spooled: 0, spoolBytes: 0 });
    expect(sink.received.map((batch) => batch.sequence)).toEqual(sink.received.map((_, i) => i + 1));
    expect(new Set(hitIds(sink.received)).size).toBe(400);
    expect(await spoolFiles(dataDir, '.spool')).toEqual([]);
  });

  it('keeps within the bounds of disk and memory, and counts to the hit what that cost', async () => {
    const sink = createTestSink();
    sink.pause();
    const spoolBytes = 4 * 1024 * 1024;
    const limits = { spoolBytes, memoryBytes: 3_200_000, batchBytes: 16_384, bufferedHits: 500 };
    const recorder = newRecorder({ sink, dataDir: await temporaryFolder(), limits });
    recorder.start();
    while (recorder.stats().dropped < 1000) {
      recordHits(recorder, 'r1', 100, incompressiblePath);
      expect(recorder.stats().spoolBytes ?? 0).toBeLessThanOrEqual(spoolBytes);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { recorded, dropped } = recorder.stats();
    sink.resume();
    await untilStats(recorder, { recorded, dropped, delivered: recorded - dropped, buffered: 0, spooled: 0 });
    expect(hitIds(sink.received)).toHaveLength(recorded - dropped);
    expect(sink.received.at(-1)!.counters).toEqual([
      { redirectId: 'r1', requests: recorded, recorded, dropped },
    ]);
  });

  it('goes on in memory when the disk cannot be written', async () => {
    const sink = createTestSink();
    const recorder = newRecorder({ sink, dataDir: '/dev/null', limits: { stopTimeoutMs: 200 } });
    recorder.start();
    recordHits(recorder, 'r1', 30);
    await untilStats(recorder, { delivered: 30, dropped: 0, spoolErrors: 1 });
  });

  it('goes on disk once that can be written, and not before it has marked its place there', async () => {
    const sink = createTestSink();
    sink.pause();
    const dataDir = await temporaryFolder();
    const inTheWay = path.join(dataDir, 'hits');
    await writeFile(inTheWay, '');
    const recorder = newRecorder({ sink, dataDir });
    recorder.start();
    recordHits(recorder, 'r1', 10);
    await untilStats(recorder, { spooled: 10, spoolErrors: 1 });
    await rm(inTheWay);
    recordHits(recorder, 'r1', 10);
    await untilStats(recorder, { spooled: 20, spoolErrors: 1 });
    expect((await spoolFiles(dataDir, '')).map((file) => path.extname(file))).toEqual([
      '.spool',
      '.lock',
      '.totals',
    ]);
    sink.resume();
    await untilStats(recorder, { delivered: 20, spooled: 0 });
    await recorder.stop();
    expect(await spoolFiles(dataDir, '')).toEqual([]);
  });

  it('flushes once more when it is stopped, and takes no hits from then on', async () => {
    const sink = createTestSink();
    const dataDir = await temporaryFolder();
    const recorder = newRecorder({ sink, dataDir, flushIntervalMs: 60_000 });
    recorder.start();
    recordHits(recorder, 'r1', 10);
    const stopped = recorder.stop();
    expect(recordHits(recorder, 'r1', 1)).toBe(0);
    await stopped;
    expect(hitIds(sink.received)).toHaveLength(10);
    expect(recorder.stats()).toMatchObject({ recorded: 11, delivered: 10, dropped: 1, spooled: 0 });
    expect(await spoolFiles(dataDir, '')).toEqual([]);
  });

  it('stops in bounded time though the sink hangs, and accounts for what only memory had', async () => {
    const sink = createTestSink();
    sink.pause();
    const recorder = newRecorder({ sink, dataDir: '/dev/null', limits: { stopTimeoutMs: 200 } });
    recorder.start();
    recordHits(recorder, 'r1', 10);
    await recorder.stop();
    expect(recorder.stats()).toMatchObject({
      recorded: 10,
      delivered: 0,
      dropped: 10,
      spooled: 0,
      buffered: 0,
    });
  });

  it('keeps its counts on disk when it is stopped, though there is no room for its hits', async () => {
    const sink = createTestSink();
    const dataDir = await temporaryFolder();
    const limits = { spoolBytes: 10_000, memoryBytes: 0, stopTimeoutMs: 1 };
    const recorder = newRecorder({ sink, dataDir, limits, recoverProducers: false });
    recorder.start();
    recordHits(recorder, 'r1', 10);
    recorder.countMatch(recorder.ruleTallyOf('r1', 7, ''), true);
    await recorder.stop();
    expect(recorder.stats()).toMatchObject({ recorded: 10, delivered: 0, dropped: 10, spooled: 0 });

    const next = newRecorder({ sink, dataDir });
    next.start();
    await untilStats(next, { recoveredBatches: 1 });
    expect(sink.received[0]).toMatchObject({
      hitCount: 0,
      counters: [{ redirectId: 'r1', requests: 10, recorded: 10 }],
      ruleCounters: [{ redirectId: 'r1', ruleId: 7, hits: 1 }],
    });
  });

  it('can be stopped without having been started', async () => {
    const recorder = newRecorder({ sink: createTestSink(), dataDir: await temporaryFolder() });
    recordHits(recorder, 'r1', 3);
    await recorder.stop();
    expect(recorder.stats()).toMatchObject({ recorded: 3, buffered: 3 });
  });

  it('keeps the same batch when the acknowledgement was lost', async () => {
    const sink = createTestSink();
    let lostAcknowledgements = 2;
    const forgetful = {
      ...sink,
      deliver: async (encoded: Uint8Array) => {
        await sink.deliver(encoded);
        if (lostAcknowledgements-- > 0) throw new Error('connection reset');
      },
    };
    const recorder = newRecorder({ sink: forgetful, dataDir: await temporaryFolder(), random: () => 0 });
    recorder.start();
    recordHits(recorder, 'r1', 25);
    await untilStats(recorder, { delivered: 25 });
    expect(sink.received).toHaveLength(3);
    expect(hitIds(storedOnce(sink.received))).toHaveLength(25);
  });
});
