import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { createReferrerDomain } from '../../shared/visitor/referrer-domain.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { createBotDetection } from './bot-reason.js';
import type { HitBacklog } from './hit-backlog.js';
import { createHitBatcher } from './hit-batcher.js';
import { createHitCounters } from './hit-counters.js';
import { createHitEncoder, type HitEncoder } from './hit-encoder.js';
import { DEFAULT_HIT_LIMITS } from './hit-limits.js';
import { BAD_ADDRESS, NOT_OF_BAD_ADDRESS } from './hit-recorder.fixture.js';
import { HitRing } from './hit-ring.js';

const PRODUCER = 'producer00000001';

/** A batcher of blocks of 64 hits, and a backlog that only notes how many hits each batch has. */
function setUp(finishOf = (encoder: HitEncoder) => encoder.finish) {
  const ring = new HitRing(1_000);
  const limits = { ...DEFAULT_HIT_LIMITS, batchRows: 64 };
  const counters = createHitCounters(limits);
  const batches: number[] = [];
  const firstOrdinals: number[] = [];
  const backlog: Pick<HitBacklog, 'untilRoom' | 'append'> = {
    untilRoom: async () => true,
    async append({ hitCount, encoded }) {
      batches.push(hitCount);
      const decoded = decodeHitBatch(encoded);
      if (decoded.ok) firstOrdinals.push(decoded.batch.firstOrdinal);
      await nextTurn();
    },
  };
  const encoder = createHitEncoder({
    producerId: PRODUCER,
    identify: createVisitorIdentification(Buffer.from('a secret of an installation')),
    detectBot: createBotDetection(),
    detectDevice: createDeviceDetection(),
    referrerDomainOf: createReferrerDomain(),
    places: NOT_OF_BAD_ADDRESS,
  });
  let lost = 0;
  const batcher = createHitBatcher({
    producerId: PRODUCER,
    ring,
    counters,
    encode: Object.defineProperty(encoder, 'finish', { value: finishOf(encoder) }),
    backlog: backlog as HitBacklog,
    limits,
    now: Date.now,
    onLost: (hitCount) => {
      lost += hitCount;
    },
  });
  const record = (address: string, count: number) => {
    const tally = counters.tallyOf('r1');
    for (let hit = 0; hit < count; hit += 1) {
      counters.countRequest(tally);
      const slot = ring.claim(tally)!;
      Object.assign(slot, {
        tally,
        redirectId: 'r1',
        timestampMs: Date.UTC(2026, 10, 21),
        path: '/',
        address,
      });
    }
  };
  return { batcher, ring, batches, firstOrdinals, record, lost: () => lost };
}

it('ends a flush also when hits it was to take are lost meanwhile, encoded beside it', async () => {
  const { batcher, ring, batches, record, lost } = setUp();
  record('192.0.2.1', 100);
  record(BAD_ADDRESS, 1);
  record('192.0.2.1', 59);
  let isFlushing = true;
  const flushed = batcher.flush(new AbortController().signal).finally(() => {
    isFlushing = false;
  });
  while (isFlushing) {
    batcher.encodeWaiting();
    await nextTurn();
  }
  await flushed;
  expect(lost()).toBeGreaterThan(0);
  expect(batches.reduce((sum, hits) => sum + hits, 0) + lost()).toBe(160);
  expect(batches.length).toBeLessThanOrEqual(4);
  expect(ring.size()).toBe(0);
});

/** The real `finish`, but for the first block, which fails as told. */
function failingFirst(fails: 'while it is written' | 'as it is compressed') {
  let isFirst = true;
  return ({ finish }: HitEncoder): HitEncoder['finish'] =>
    function* (firstOrdinal) {
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst && fails === 'while it is written') throw new RangeError('out of memory');
      const block = yield* finish(firstOrdinal);
      return wasFirst ? (NO_BYTES as Uint8Array) : block;
    };
}

/** What no compression takes. */
const NO_BYTES: unknown = 7;

it.each(['while it is written', 'as it is compressed'] as const)(
  'loses a block that fails %s and no other hit, and leaves no gap',
  async (fails) => {
    const { batcher, ring, batches, firstOrdinals, record, lost } = setUp(failingFirst(fails));
    record('192.0.2.1', 64);
    const flushed = batcher.flush(new AbortController().signal);
    await nextTurn();
    record('192.0.2.1', 10);
    batcher.encodeWaiting();
    await flushed;
    await batcher.flush(new AbortController().signal);
    expect(lost()).toBe(64);
    expect([batches, firstOrdinals]).toEqual([
      [0, 10],
      [1, 1],
    ]);
    expect(ring.size()).toBe(0);
  },
);
