import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NativeWriter } from '../native/native-writer.js';
import { MAX_BATCH_COUNTERS, MAX_ID_LENGTH, MAX_VARIANT_LENGTH } from './batch-bounds.js';
import { OF_KNOWN_REDIRECT, OF_REDIRECT, OF_RULE_OF_NEW_REDIRECT, recordsOf } from './counter-records.js';
import { FORMAT_5_BATCH } from './format-5-batch.fixture.js';
import type { HitBatch } from './hit-batch.js';
import {
  decodeHitBatch,
  encodeHitBatch,
  HIT_BATCH_FORMAT,
  MAX_ENCODED_BATCH_BYTES,
  producerIdOf,
} from './hit-batch-codec.js';

/** Some of them come again and again. */
const ids = fc.oneof(
  fc.constantFrom('r1', 'r2'),
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: MAX_ID_LENGTH / 2 }),
);

const counters = fc.record({
  redirectId: ids,
  requests: fc.maxSafeNat(),
  recorded: fc.maxSafeNat(),
  dropped: fc.maxSafeNat(),
});

const ruleCounters = fc
  .record({
    redirectId: ids,
    ruleId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    variant: fc.string({ unit: 'binary', maxLength: MAX_VARIANT_LENGTH / 2 }),
    hits: fc.maxSafeNat(),
    botHits: fc.maxSafeNat(),
  })
  .map(({ botHits, ...counters }) => ({ ...counters, humanHits: Math.max(0, counters.hits - botHits) }));

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

const MOST = Number.MAX_SAFE_INTEGER;

const BATCH: HitBatch = {
  producerId: 'k3v9x0q2m5b7n1zz',
  sequence: 7,
  firstOrdinal: 41,
  hitCount: 2,
  createdAtMs: 1_800_000_000_000,
  counters: [{ redirectId: 'r1', requests: 5, recorded: 3, dropped: 1 }],
  ruleCounters: [
    { redirectId: 'r1', ruleId: 12, variant: 'blau & grün', hits: 4, humanHits: 3 },
    { redirectId: 'r1', ruleId: 13, variant: '', hits: 1, humanHits: 0 },
  ],
  block: Buffer.from('what is for the store to read'),
};

interface Parts {
  readonly producerId: string;
  readonly header: Partial<Record<'sequence' | 'firstOrdinal' | 'hitCount' | 'createdAtMs', number>>;
  readonly records: Uint8Array;
  readonly block: Uint8Array;
}

/** An encoded batch of these parts, whatever they say, and a checksum that is right. */
function withParts(parts: Partial<Parts>): Buffer {
  const { producerId = BATCH.producerId, block = BATCH.block, header = {} } = parts;
  const { records = recordsOf(BATCH.counters, BATCH.ruleCounters) } = parts;
  const { sequence, firstOrdinal, hitCount, createdAtMs } = { ...BATCH, ...header };
  return withChecksum(
    Buffer.of(HIT_BATCH_FORMAT),
    uint16(Buffer.byteLength(producerId)),
    Buffer.from(producerId),
    ...[sequence, firstOrdinal, hitCount, createdAtMs].map(double),
    uint32(records.length),
    records,
    block,
  );
}

/** Records, value by value: numbers, texts, and texts as bytes. */
function records(...values: readonly (number | string | Uint8Array)[]): Uint8Array {
  const writer = new NativeWriter();
  for (const value of values) {
    if (typeof value === 'number') writer.varint(value);
    else if (typeof value === 'string') writer.text(value);
    else {
      writer.varint(value.length);
      writer.bytes(value);
    }
  }
  return writer.written();
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

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

const HEADER_BYTES = 32;

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

  it('takes well-formed parts, so that the refusals below are for their own reason', () => {
    expect(decodeHitBatch(withParts({}))).toEqual({ ok: true, batch: BATCH });
  });

  it.each<[string, Parts['header']]>([
    ['a sequence of 0', { sequence: 0 }],
    ['a sequence that is no integer', { sequence: 1.5 }],
    ['a first ordinal of 0', { firstOrdinal: 0 }],
    ['a negative number of hits', { hitCount: -2 }],
    ['more hits than can be counted', { hitCount: 2 ** 53 }],
    ['no time', { createdAtMs: Number.NaN }],
    ['a time that never comes', { createdAtMs: Number.POSITIVE_INFINITY }],
    ['no hits before a block', { hitCount: 0 }],
  ])('refuses a header with %s', (_name, header) => {
    expect(decodeHitBatch(withParts({ header }))).toMatchObject({ ok: false });
  });

  it('takes well-formed records, so that the refusals below are for their own reason', () => {
    const known = records(OF_REDIRECT, 'r', 3, 2, 1, OF_KNOWN_REDIRECT, 7, 'x', 4, 3);
    expect(decodeHitBatch(withParts({ records: known }))).toMatchObject({
      ok: true,
      batch: {
        counters: [{ redirectId: 'r', requests: 3, recorded: 2, dropped: 1 }],
        ruleCounters: [{ redirectId: 'r', ruleId: 7, variant: 'x', hits: 4, humanHits: 3 }],
      },
    });
    const bounds = records(
      ...[
        OF_RULE_OF_NEW_REDIRECT,
        'i'.repeat(MAX_ID_LENGTH),
        MOST,
        '\u20ac'.repeat(MAX_VARIANT_LENGTH),
        MOST,
        MOST,
      ],
      ...[OF_RULE_OF_NEW_REDIRECT, '\ufffd', 1, '', 0, 0],
    );
    expect(decodeHitBatch(withParts({ records: bounds }))).toMatchObject({ ok: true });
  });

  it.each<[string, Uint8Array]>([
    ['a redirect without an id', records(OF_REDIRECT, '', 1, 1, 0)],
    ['too long an id', records(OF_REDIRECT, 'r'.repeat(MAX_ID_LENGTH + 1), 1, 1, 0)],
    ['an id that is no UTF-8', records(OF_REDIRECT, Buffer.of(0xff), 1, 1, 0)],
    ['an id that is longer than all records', records(OF_REDIRECT, MOST)],
    ['a number beyond all that are exact', records(OF_REDIRECT, 'r', 1, 1, 2 ** 53)],
    ['a number without an end', Buffer.alloc(20, 0xff)],
    ['half a record', records(OF_REDIRECT, 'r', 1, 1)],
    ['a rule of a redirect that has not come', records(OF_KNOWN_REDIRECT, 1, '', 1, 1)],
    ['a rule of a redirect far away', records(OF_REDIRECT, 'r', 1, 1, 0, MOST, 1, '', 1, 1)],
    ['a rule of a redirect without an id', records(OF_RULE_OF_NEW_REDIRECT, '', 1, '', 1, 1)],
    ['a rule id of 0', records(OF_RULE_OF_NEW_REDIRECT, 'r', 0, '', 1, 1)],
    ['more people than matches', records(OF_RULE_OF_NEW_REDIRECT, 'r', 1, '', 1, 2)],
    ['a rule without its people', records(OF_RULE_OF_NEW_REDIRECT, 'r', 1, '', 1)],
    [
      'a variant beyond its bound',
      records(OF_RULE_OF_NEW_REDIRECT, 'r', 1, 'x'.repeat(MAX_VARIANT_LENGTH + 1), 1, 1),
    ],
    ['a variant that is no UTF-8', records(OF_RULE_OF_NEW_REDIRECT, 'r', 1, Buffer.of(0xc5), 1, 1)],
  ])('refuses records with %s', (_name, malformed) => {
    const reason = expect.stringContaining('counters');
    expect(decodeHitBatch(withParts({ records: malformed }))).toMatchObject({ ok: false, reason });
  });

  it('refuses records that are cut or damaged anywhere, or takes them for others, without throwing', () => {
    const whole = recordsOf(BATCH.counters, BATCH.ruleCounters);
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Uint8Array.from(whole);
      damaged[at]! ^= 0xff;
      expect(decodeHitBatch(withParts({ records: damaged }))).toMatchObject({ ok: expect.any(Boolean) });
      expect(decodeHitBatch(withParts({ records: whole.subarray(0, at) }))).toMatchObject({
        ok: expect.any(Boolean),
      });
    }
  });

  it('bounds the counters of a batch, each of which takes more memory than bytes', () => {
    const rules = (count: number) =>
      Array.from({ length: count }, () => ({
        redirectId: 'r',
        ruleId: 1,
        variant: '',
        hits: 1,
        humanHits: 1,
      }));
    const decoded = (count: number) => decodeHitBatch(withParts({ records: recordsOf([], rules(count)) }));
    expect(decoded(MAX_BATCH_COUNTERS)).toMatchObject({ ok: true });
    expect(decoded(MAX_BATCH_COUNTERS + 1)).toMatchObject({ ok: false });
  });

  it.each<[string, Buffer]>([
    ['hits without a block', withParts({ block: Buffer.alloc(0) })],
    ['no name of a producer', withParts({ producerId: '' })],
    ['too long a name of a producer', withParts({ producerId: 'p'.repeat(129) })],
    [
      'a name longer than the batch',
      withChecksum(Buffer.of(HIT_BATCH_FORMAT), uint16(9), Buffer.alloc(HEADER_BYTES), uint32(0)),
    ],
    [
      'counters longer than the batch',
      withChecksum(Buffer.of(HIT_BATCH_FORMAT), uint16(0), Buffer.alloc(HEADER_BYTES), uint32(1)),
    ],
  ])('refuses %s', (_name, encoded) => {
    expect(decodeHitBatch(encoded)).toMatchObject({ ok: false });
  });

  it('reads the producer id without decoding the rest, and none from other bytes', () => {
    expect(producerIdOf(encodeHitBatch(BATCH))).toBe(BATCH.producerId);
    expect(producerIdOf(encodeHitBatch({ ...BATCH, producerId: 'ž' }))).toBe('ž');
    for (const other of ['', 'nonsense', 'nonsense that is longer than any batch has to be']) {
      expect(producerIdOf(Buffer.from(other))).toBeUndefined();
    }
  });

  it('reads a batch of format 5, whose rules have no count of people', () => {
    expect(decodeHitBatch(FORMAT_5_BATCH)).toEqual({
      ok: true,
      batch: {
        producerId: 'old1',
        sequence: 1,
        firstOrdinal: 1,
        hitCount: 0,
        createdAtMs: 1_800_000_000_000,
        counters: [{ redirectId: 'r1', requests: 5, recorded: 0, dropped: 0 }],
        ruleCounters: [
          { redirectId: 'r1', ruleId: 12, variant: 'a', hits: 4 },
          { redirectId: 'r1', ruleId: 13, variant: '', hits: 1 },
        ],
        block: Buffer.alloc(0),
      },
    });
  });

  it.each([1, 4, HIT_BATCH_FORMAT + 1])('names a format it does not know: %d', (format) => {
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
