import { brotliCompressSync, crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HitBatch } from './hit-batch.js';
import {
  decodeHitBatch,
  encodeHitBatch,
  HIT_BATCH_FORMAT,
  MAX_ENCODED_BATCH_BYTES,
  producerIdOf,
} from './hit-batch-codec.js';
import { MAX_VARIANT_LENGTH } from './hit-batch-header.js';

const counters = fc.record({
  redirectId: fc.string({ minLength: 1, maxLength: 40 }),
  requests: fc.maxSafeNat(),
  recorded: fc.maxSafeNat(),
  dropped: fc.maxSafeNat(),
});

const ruleCounters = fc.record({
  redirectId: fc.string({ minLength: 1, maxLength: 40 }),
  ruleId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  variant: fc.string({ unit: 'binary', maxLength: MAX_VARIANT_LENGTH / 2 }),
  hits: fc.maxSafeNat(),
});

const batches: fc.Arbitrary<HitBatch> = fc
  .record({
    producerId: fc.string({ minLength: 1, maxLength: 40 }),
    sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    createdAtMs: fc.maxSafeNat(),
    counters: fc.array(counters, { maxLength: 5 }),
    ruleCounters: fc.array(ruleCounters, { maxLength: 5 }),
    firstOrdinal: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    hitCount: fc.integer({ min: 1, max: 100_000 }),
    block: fc.uint8Array({ maxLength: 50 }),
  })
  .map(({ block, hitCount, ...fields }) => ({
    ...fields,
    hitCount: block.length === 0 ? 0 : hitCount,
    block: Buffer.from(block),
  }));

const BATCH: HitBatch = {
  producerId: 'k3v9x0q2m5b7n1zz',
  sequence: 7,
  firstOrdinal: 41,
  hitCount: 2,
  createdAtMs: 1_800_000_000_000,
  counters: [{ redirectId: 'r1', requests: 5, recorded: 3, dropped: 1 }],
  ruleCounters: [
    { redirectId: 'r1', ruleId: 12, variant: 'blau & grün', hits: 4 },
    { redirectId: 'r1', ruleId: 13, variant: '', hits: 1 },
  ],
  block: Buffer.from('what is for the store to read'),
};

/** An encoded batch with this header, whatever it says, and a checksum that is right. */
function withHeader(header: string, parts: { producerId?: string; block?: Buffer } = {}): Buffer {
  const { producerId = BATCH.producerId, block = BATCH.block } = parts;
  const headerBytes = brotliCompressSync(header);
  return withChecksum(
    Buffer.of(HIT_BATCH_FORMAT),
    uint16(Buffer.byteLength(producerId)),
    Buffer.from(producerId),
    uint32(headerBytes.length),
    headerBytes,
    block,
  );
}

function withChecksum(...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.from('WMHB'), ...parts]);
  return Buffer.concat([body, uint32(crc32(body))]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function headerWithRule(changes: object): string {
  const [counters] = BATCH.ruleCounters;
  return headerWith({ ruleCounters: [{ ...counters, ...changes }] });
}

function headerWith(changes: object): string {
  const { producerId: _producerId, block: _block, ...fields } = BATCH;
  return JSON.stringify({ ...fields, ...changes });
}

describe('the codec of hit batches', () => {
  it('gives back every batch as it was', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const decoded = decodeHitBatch(encodeHitBatch(batch));
        expect(decoded).toEqual({ ok: true, batch });
      }),
      { numRuns: 200 },
    );
  });

  it('notices every single byte that was changed', () => {
    const encoded = encodeHitBatch(BATCH);
    for (let at = 0; at < encoded.length; at += 1) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const damaged = Uint8Array.from(encoded);
        damaged[at]! ^= flip;
        expect(decodeHitBatch(damaged).ok, `byte ${at} ^ ${flip}`).toBe(false);
      }
    }
  });

  it('notices a batch that is cut short or has something behind it', () => {
    const encoded = encodeHitBatch(BATCH);
    for (let length = 0; length < encoded.length; length += 1) {
      expect(decodeHitBatch(encoded.subarray(0, length)).ok, `${length} bytes`).toBe(false);
    }
    expect(decodeHitBatch(Buffer.concat([encoded, Buffer.of(0)])).ok).toBe(false);
  });

  it('refuses any garbage without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (garbage) => {
        expect(decodeHitBatch(garbage).ok).toBe(false);
      }),
    );
  });

  it('takes a well-formed header, so that the refusals below are for their own reason', () => {
    expect(decodeHitBatch(withHeader(headerWith({})))).toEqual({ ok: true, batch: BATCH });
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['null', 'null'],
    ['an additional member', headerWith({ extra: 1 })],
    ['a missing member', headerWith({ createdAtMs: undefined })],
    ['a sequence of 0', headerWith({ sequence: 0 })],
    ['a sequence that is no integer', headerWith({ sequence: 1.5 })],
    ['a first ordinal of 0', headerWith({ firstOrdinal: 0 })],
    ['a negative number of hits', headerWith({ hitCount: -2 })],
    ['counters that are no list', headerWith({ counters: {} })],
    ['counters without an id', headerWith({ counters: [{ requests: 1, recorded: 1, dropped: 0 }] })],
    [
      'negative counters',
      headerWith({ counters: [{ redirectId: 'r', requests: 1, recorded: -1, dropped: 0 }] }),
    ],
    ['rule counters that are no list', headerWith({ ruleCounters: {} })],
    ['no rule counters', headerWith({ ruleCounters: undefined })],
    ['a rule counter that is no object', headerWith({ ruleCounters: [7] })],
    ['rule counters without a redirect', headerWithRule({ redirectId: undefined })],
    ['an additional member of a rule counter', headerWithRule({ extra: 1 })],
    ['a rule id of 0', headerWithRule({ ruleId: 0 })],
    ['a rule id that is no number', headerWithRule({ ruleId: '12' })],
    ['a variant that is no text', headerWithRule({ variant: null })],
    ['a variant beyond its bound', headerWithRule({ variant: 'x'.repeat(MAX_VARIANT_LENGTH + 1) })],
    ['negative hits of a rule', headerWithRule({ hits: -1 })],
    ['hits of a rule that are no integer', headerWithRule({ hits: 0.5 })],
    ['no hits before a block', headerWith({ hitCount: 0 })],
  ])('refuses a header with %s', (_name, header) => {
    expect(decodeHitBatch(withHeader(header))).toMatchObject({ ok: false });
  });

  it.each<[string, Buffer]>([
    ['hits without a block', withHeader(headerWith({}), { block: Buffer.alloc(0) })],
    ['no name of a producer', withHeader(headerWith({}), { producerId: '' })],
    ['too long a name of a producer', withHeader(headerWith({}), { producerId: 'p'.repeat(129) })],
    ['a name longer than the batch', withChecksum(Buffer.of(HIT_BATCH_FORMAT), uint16(9), uint32(0))],
    [
      'a header longer than the batch',
      withChecksum(Buffer.of(HIT_BATCH_FORMAT), uint16(1), Buffer.from('p'), uint32(1)),
    ],
    [
      'a header that is not compressed',
      withChecksum(Buffer.of(HIT_BATCH_FORMAT), uint16(1), Buffer.from('p'), uint32(2), Buffer.from('{}')),
    ],
    ['a header that grows beyond all bounds', withHeader(' '.repeat(MAX_ENCODED_BATCH_BYTES + 1))],
  ])('refuses %s', (_name, encoded) => {
    expect(decodeHitBatch(encoded)).toMatchObject({ ok: false });
  });

  it('tells the producer without a look at the rest, and of nothing else', () => {
    expect(producerIdOf(encodeHitBatch(BATCH))).toBe(BATCH.producerId);
    expect(producerIdOf(encodeHitBatch({ ...BATCH, producerId: 'ž' }))).toBe('ž');
    for (const other of ['', 'nonsense', 'nonsense that is longer than any batch has to be']) {
      expect(producerIdOf(Buffer.from(other))).toBeUndefined();
    }
  });

  it.each([1, HIT_BATCH_FORMAT + 1])('names a format it does not know: %d', (format) => {
    const encoded = encodeHitBatch(BATCH);
    encoded[4] = format;
    const reason = expect.stringContaining(`format ${format}`);
    expect(decodeHitBatch(encoded)).toMatchObject({ ok: false, reason });
  });

  it('neither makes nor takes a batch beyond the bound', () => {
    const block = Buffer.alloc(MAX_ENCODED_BATCH_BYTES);
    expect(() => encodeHitBatch({ ...BATCH, block })).toThrow(RangeError);
    expect(decodeHitBatch(Buffer.concat([encodeHitBatch(BATCH), block]))).toMatchObject({ ok: false });
  });
});
