import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FORMAT_5_BATCH } from '../../shared/hits/format-5-batch.fixture.js';
import { FORMAT_6_BATCH } from '../../shared/hits/format-6-batch.fixture.js';
import { FORMAT_7_BATCH } from '../../shared/hits/format-7-batch.fixture.js';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { compressed, hitBlock, plainHitBlock } from '../../shared/hits/hit-block.fixture.js';
import { MAX_BLOCK_BYTES } from '../../shared/hits/hit-block-compression.js';
import { HIT_COLUMNS } from '../../shared/hits/hit-columns.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../storage/clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore, RowInsert } from '../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../storage/clickhouse/store-error.js';
import { createTestProducer, encodedBatch, hitRow, type TestProducer } from './hit-batch.fixture.js';
import { createHitWriter, type HitWriter } from './hit-writer.js';
import { createRejectedBatches } from './rejected-batches.js';

let test: TestStore;
let rejectedFolder: string;
let writer: HitWriter;
let producer: TestProducer;
let producers = 0;

function newWriter(store: AnalyticsStore): HitWriter {
  return createHitWriter({ store, rejected: createRejectedBatches(rejectedFolder), logger: silentLogger });
}

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());
beforeEach(() => {
  producers += 1;
  rejectedFolder = path.join(test.dataDir, 'hits', `rejected-${producers}`);
  writer = newWriter(test.store);
  producer = createTestProducer(`run-${producers}`);
});

const ordinals = async (of = producer) =>
  (
    await test.store.query<{ ordinal: number }>(
      'SELECT ordinal FROM hits WHERE producer_id = {producer:String} ORDER BY ordinal',
      { producer: of.producerId },
    )
  ).map((row) => row.ordinal);

const counters = () =>
  test.store.query(
    `SELECT redirect_id AS redirect, max(requests) AS requests, max(recorded) AS recorded, max(dropped) AS dropped
     FROM redirect_counters WHERE producer_id = {producer:String} GROUP BY redirect ORDER BY redirect`,
    { producer: producer.producerId },
  );

const ruleCounters = () =>
  test.store.query(
    `SELECT redirect_id AS redirect, rule_id AS rule, variant, max(hits) AS hits, max(human_hits) AS humanHits
     FROM rule_counters WHERE producer_id = {producer:String}
     GROUP BY redirect, rule, variant ORDER BY redirect, rule, variant`,
    { producer: producer.producerId },
  );

const hitsAt = (...timestamps: string[]) => timestamps.map((timestamp) => ({ timestamp }));
const JANUARY = '2026-01-31 23:59:59.999';
const FEBRUARY = '2026-02-01 00:00:00.000';

describe('a batch', () => {
  it('is stored with everything that its rows say', async () => {
    const hit = {
      redirect_id: 'rd_everything',
      timestamp: '2026-01-31 12:34:56.789',
      path: '/žluťoučký/%41;\t"\\\'\u0001',
      query: 'a=1&b=[2]',
      status_code: 302,
      sampling_rate: 0.1,
      referrer: 'https://www.example/?q={x:String}',
      visitor_id: '00ff00ff00ff00ff',
      is_bot: 1,
      bot_reason: 'head',
      ruleset_version: '1700000000.42',
      rule_id: 9_007_199_254_740_991,
      variant: "grün 'b'",
      country: 'CZ',
      region: 'Jihočeský kraj',
      city: 'České Budějovice',
      latitude: 48.5,
      longitude: 14.25,
      device_type: 'mobile',
      device_brand: 'Samsung',
      device_model: 'SM-S918B',
      browser_name: 'Samsung Internet',
      browser_version: '23.0',
      os_name: 'Android',
      os_version: '14',
      referrer_domain: 'example.co.uk',
      referrer_type: 'paid',
      utm_source: 'Jaro 50%',
      utm_medium: 'cpc',
      utm_campaign: "léto '26",
      utm_term: 'boty & ponožky',
      utm_content: 'a\tb',
      query_names: 'a&b',
      retention_days: 36_500,
    } as const;
    expect(await writer.write(producer.batch([hit]))).toEqual({ status: 'stored', hits: 1 });

    const { visitor_id, ...stored } = hit;
    expect(
      await test.store.query(
        "SELECT *, hit_name, visitor_hash FROM hits WHERE redirect_id = 'rd_everything'",
      ),
    ).toMatchObject([{ ...stored, hit_name: `${producer.producerId}-1`, visitor_hash: visitor_id }]);
  });

  it('is stored once though it is written again and again', async () => {
    const batch = producer.batch([{}, {}, {}]);
    const outcomes = await Promise.all([writer.write(batch), writer.write(batch), writer.write(batch)]);
    expect(outcomes).toEqual([
      { status: 'stored', hits: 3 },
      { status: 'duplicate' },
      { status: 'duplicate' },
    ]);
    expect(await ordinals()).toEqual([1, 2, 3]);
    expect(writer.stats()).toMatchObject({ batchesStored: 1, hitsStored: 3, batchesDuplicate: 2 });
  });

  it('is known again by another writer after the store was opened anew', async () => {
    const batch = producer.batch([{}, {}]);
    await writer.write(batch);
    await test.reopen();
    writer = newWriter(test.store);
    expect(await writer.write(batch)).toEqual({ status: 'duplicate' });
    expect(await ordinals()).toEqual([1, 2]);
  });

  it('is known again when the deduplication window has forgotten it', async () => {
    const batch = producer.batch(hitsAt(JANUARY, FEBRUARY));
    await writer.write(batch);
    await test.store.command('ALTER TABLE hits MODIFY SETTING non_replicated_deduplication_window = 0');
    expect(await writer.write(batch)).toEqual({ status: 'duplicate' });
    await test.store.command('ALTER TABLE hits MODIFY SETTING non_replicated_deduplication_window = 10000');
    expect(await ordinals()).toEqual([1, 2]);
  });

  it('that comes again after some of its hits have expired does not bring them back', async () => {
    const batch = producer.batch([{}, { retention_days: 1 }, {}]);
    await writer.write(batch);
    await test.store.command('OPTIMIZE TABLE hits FINAL');
    expect(await ordinals()).toEqual([1, 3]);
    await test.store.command('ALTER TABLE hits MODIFY SETTING non_replicated_deduplication_window = 0');
    expect(await writer.write(batch)).toEqual({ status: 'duplicate' });
    await test.store.command('ALTER TABLE hits MODIFY SETTING non_replicated_deduplication_window = 10000');
    expect(await ordinals()).toEqual([1, 3]);
  });

  it('of which a shard has had to do without its share is inserted again, under the same token', async () => {
    const timestamp = new Date().toISOString().replace('T', ' ').replace('Z', '');
    const batch = producer.batch([{ timestamp }, { timestamp }]);
    await writer.write(batch);
    await test.store.command('DELETE FROM hits WHERE producer_id = {producer:String} AND ordinal = 2', {
      producer: producer.producerId,
    });
    const tokens: (string | undefined)[] = [];
    const insertRows: AnalyticsStore['insertRows'] = async (insert) => {
      if (insert.table === 'hits') tokens.push(insert.deduplicationToken);
      await test.store.insertRows(insert);
    };
    await newWriter({ ...test.store, insertRows }).write(batch);
    expect(tokens).toEqual([`${producer.producerId}:1`]);
    expect(await ordinals(), 'what is stored here stays once').toEqual([1]);
  });

  it('with counters alone is stored, and greater counters win in whatever order they arrive', async () => {
    const of = (requests: number) => [{ redirectId: 'rd_c', requests, recorded: requests - 1, dropped: 0 }];
    const { producerId } = producer;
    await writer.write(encodedBatch(producerId, { sequence: 2, counters: of(20) }));
    expect(await writer.write(encodedBatch(producerId, { sequence: 1, counters: of(10) }))).toEqual({
      status: 'stored',
      hits: 0,
    });
    await test.store.command('OPTIMIZE TABLE redirect_counters FINAL');
    expect(await counters()).toEqual([{ redirect: 'rd_c', requests: 20, recorded: 19, dropped: 0 }]);
  });

  it('with rule counters alone is stored, variant by variant, in whatever order they arrive', async () => {
    const of = (ruleId: number, variant: string, hits: number, humanHits: number) => ({
      redirectId: 'rd_r',
      ruleId,
      variant,
      hits,
      humanHits,
    });
    const { producerId } = producer;
    await writer.write(
      encodedBatch(producerId, {
        sequence: 2,
        ruleCounters: [of(7, 'new', 30, 12), of(7, 'old', 3, 3), of(8, '', 1, 0)],
      }),
    );
    expect(
      await writer.write(encodedBatch(producerId, { sequence: 1, ruleCounters: [of(7, 'new', 20, 11)] })),
    ).toEqual({ status: 'stored', hits: 0 });
    await test.store.command('OPTIMIZE TABLE rule_counters FINAL');
    expect(await ruleCounters()).toEqual([
      { redirect: 'rd_r', rule: 7, variant: 'new', hits: 30, humanHits: 12 },
      { redirect: 'rd_r', rule: 7, variant: 'old', hits: 3, humanHits: 3 },
      { redirect: 'rd_r', rule: 8, variant: '', hits: 1, humanHits: 0 },
    ]);
  });

  it('of the format before is stored, with no people among the matches of its rules', async () => {
    expect(await writer.write(FORMAT_5_BATCH)).toEqual({ status: 'stored', hits: 0 });
    const rows = await test.store.query(
      'SELECT rule_id AS rule, variant, hits, human_hits AS humanHits FROM rule_counters WHERE producer_id = {producer:String} ORDER BY rule',
      { producer: 'old1' },
    );
    expect(rows).toEqual([
      { rule: 12, variant: 'a', hits: 4, humanHits: 0 },
      { rule: 13, variant: '', hits: 1, humanHits: 0 },
    ]);
  });

  it('of format 6 is stored, with no draws', async () => {
    expect(await writer.write(FORMAT_6_BATCH)).toEqual({ status: 'stored', hits: 2 });
    const rows = await test.store.query(
      'SELECT ordinal, rule_id AS rule, path, draw, query_recording AS recording FROM hits WHERE producer_id = {producer:String} ORDER BY ordinal',
      { producer: 'old6' },
    );
    expect(rows).toEqual([
      { ordinal: 1, rule: 12, path: '/path', draw: 0, recording: '' },
      { ordinal: 2, rule: 0, path: '/path', draw: 0, recording: '' },
    ]);
  });

  it('of format 7 is stored, with neither entries beside rules nor requested hosts', async () => {
    expect(await writer.write(FORMAT_7_BATCH)).toEqual({ status: 'stored', hits: 2 });
    const rows = await test.store.query(
      'SELECT rule_id AS rule, draw, query_recording AS recording, entry_id AS entry, requested_host AS host FROM hits WHERE producer_id = {producer:String} ORDER BY ordinal',
      { producer: 'old7' },
    );
    expect(rows).toEqual([
      { rule: 12, draw: 0.25, recording: 'full', entry: 0, host: '' },
      { rule: 0, draw: 0, recording: 'names', entry: 0, host: '' },
    ]);
  });

  it('with whatever counters a header may hold is stored, so that none stands in the way of the others', async () => {
    const [odd, most] = ['a\0\tb\n\\\'"{x:String}😀\ud800', Number.MAX_SAFE_INTEGER];
    const batch = encodeHitBatch({
      producerId: producer.producerId,
      sequence: most,
      firstOrdinal: most,
      hitCount: 0,
      createdAtMs: most,
      counters: [{ redirectId: odd, requests: most, recorded: most, dropped: most }],
      ruleCounters: [{ redirectId: odd, ruleId: most, variant: odd, hits: most, humanHits: most }],
      block: new Uint8Array(),
    });
    expect(await writer.write(batch)).toEqual({ status: 'stored', hits: 0 });
    const redirect = odd.replace('\ud800', '\ufffd');
    expect(await counters()).toEqual([{ redirect, requests: most, recorded: most, dropped: most }]);
    expect(await ruleCounters()).toEqual([
      { redirect, rule: most, variant: redirect, hits: most, humanHits: most },
    ]);
  });

  it('keeps producers apart whose ids resemble each other', async () => {
    const longer = createTestProducer(`${producer.producerId}-1`);
    await writer.write(producer.batch([{}]));
    await writer.write(longer.batch([{}, {}]));
    expect([await ordinals(), await ordinals(longer)]).toEqual([[1], [1, 2]]);
  });
});

describe('a store that fails', () => {
  /** The real store; inserts into one table fail, before they begin or after they are done. */
  function failing(table: string, when: 'before' | 'after'): AnalyticsStore {
    const insertRows = async (insert: RowInsert) => {
      if (insert.table !== table) return test.store.insertRows(insert);
      if (when === 'after') await test.store.insertRows(insert);
      throw new AnalyticsStoreError('unavailable', new Error('the connection broke'));
    };
    return { ...test.store, insertRows };
  }

  it.each([
    ['hits', 'before'],
    ['hits', 'after'],
    ['redirect_counters', 'before'],
    ['redirect_counters', 'after'],
    ['rule_counters', 'before'],
    ['rule_counters', 'after'],
  ] as const)(
    'at %s, %s the insert, leaves exact numbers once the batch is written again',
    async (table, when) => {
      producer.drop('rd_f', 5);
      const batch = producer.batch([{ redirect_id: 'rd_f' }, { redirect_id: 'rd_f', rule_id: 3 }]);
      const broken = newWriter(failing(table, when));
      await expect(broken.write(batch)).rejects.toMatchObject({ failure: 'unavailable' });
      expect(broken.stats()).toMatchObject({ failures: 1 });

      await writer.write(batch);
      expect(await ordinals()).toEqual([6, 7]);
      expect(await counters()).toEqual([{ redirect: 'rd_f', requests: 7, recorded: 7, dropped: 5 }]);
      expect(await ruleCounters()).toEqual([
        { redirect: 'rd_f', rule: 3, variant: '', hits: 1, humanHits: 1 },
      ]);
      expect(existsSync(rejectedFolder)).toBe(false);
    },
  );

  it('that refuses the hits is given no counters', async () => {
    const broken = newWriter(failing('hits', 'before'));
    await expect(broken.write(producer.batch([{ rule_id: 3 }]))).rejects.toThrow();
    expect([await counters(), await ruleCounters()]).toEqual([[], []]);
  });
});

describe('a batch that cannot be stored', () => {
  const rows = (...ordinals: number[]) => ordinals.map((ordinal) => hitRow(producer.producerId, ordinal));
  const withBlock = (block: Uint8Array, hitCount = 1) => {
    const { producerId } = producer;
    return encodeHitBatch({
      producerId,
      sequence: 1,
      firstOrdinal: 1,
      hitCount,
      createdAtMs: 0,
      counters: [],
      ruleCounters: [],
      block,
    });
  };
  const withPlain = (block: Uint8Array, hitCount = 1) => withBlock(compressed(block), hitCount);

  it.each<[string, () => Uint8Array]>([
    ['is not a batch', () => Buffer.from('nonsense')],
    ['is empty', () => new Uint8Array(0)],
    ['is not compressed', () => withBlock(plainHitBlock(rows(1)))],
    ['grows beyond all bounds', () => withPlain(Buffer.alloc(MAX_BLOCK_BYTES + 1))],
    ['has no block', () => withPlain(Buffer.from('nonsense'))],
    ['has more rows than it says', () => withBlock(hitBlock(rows(1, 2)))],
    ['has fewer rows than it says', () => withBlock(hitBlock(rows(1)), 2)],
    ['has hits of another producer', () => withBlock(hitBlock([hitRow('other', 1)]))],
    ['has hits of two producers', () => withBlock(hitBlock([...rows(1), hitRow('other', 2)]), 2)],
    ['has other ordinals', () => withBlock(hitBlock(rows(2)))],
    ['leaves out an ordinal', () => withBlock(hitBlock(rows(1, 3)), 2)],
    [
      'has a redirect twice',
      () => {
        const [first, second] = ['rd_a', 'rd_b'].map((redirect_id, index) =>
          hitRow(producer.producerId, index + 1, { redirect_id }),
        );
        const block = Buffer.from(plainHitBlock([first!, second!]));
        return withPlain(block.fill('rd_a', block.indexOf('rd_b'), block.indexOf('rd_b') + 4), 2);
      },
    ],
    ['lacks a column', () => withPlain(plainHitBlock(rows(1), HIT_COLUMNS.slice(0, -1)))],
    ['has its columns in another order', () => withPlain(plainHitBlock(rows(1), HIT_COLUMNS.toReversed()))],
    ['ends within its names', () => withPlain(plainHitBlock(rows(1)).subarray(0, 100))],
    ['ends within the rest', () => withPlain(plainHitBlock(rows(1)).subarray(0, -1))],
    [
      'has another column than the table',
      () => {
        const block = Buffer.from(plainHitBlock(rows(1)));
        return withPlain(block.fill('ghost', block.indexOf('method'), block.indexOf('method') + 6));
      },
    ],
    [
      'has a type that does not exist',
      () => {
        const block = Buffer.from(plainHitBlock(rows(1)));
        return withPlain(block.fill('UInt61', block.indexOf('UInt16'), block.indexOf('UInt16') + 6));
      },
    ],
    [
      'is of an earlier format',
      () => Buffer.from(encodedBatch(producer.producerId, { sequence: 1 })).fill(1, 4, 5),
    ],
  ])('because it %s is refused, put aside and not in the way', async (_, make) => {
    const bad = make();
    const outcome = await writer.write(bad);
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.stringMatching(/./) });
    await writer.write(bad);

    const files = await readdir(rejectedFolder);
    expect(files).toHaveLength(1);
    expect(await readFile(path.join(rejectedFolder, files[0]!))).toEqual(Buffer.from(bad));
    expect(writer.stats()).toMatchObject({ batchesRejected: 2, failures: 0 });
    expect(await ordinals()).toEqual([]);
    expect(await writer.write(producer.batch([{}]))).toEqual({ status: 'stored', hits: 1 });
  });

  it('leaves the newest hundred on disk', async () => {
    for (let n = 0; n < 105; n += 1) await writer.write(Buffer.from(`nonsense ${n}`));
    const files = await readdir(rejectedFolder);
    const kept = await Promise.all(
      files.sort().map((file) => readFile(path.join(rejectedFolder, file), 'utf8')),
    );
    expect(kept).toHaveLength(100);
    expect(kept.at(-1)).toBe('nonsense 104');
    expect(kept[0]).toBe('nonsense 5');
  });
});
