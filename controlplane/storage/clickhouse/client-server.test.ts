import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readBlock } from '../../../shared/native/column-values.js';
import { beginBlock, beginColumn } from '../../../shared/native/native-block.js';
import { NativeReader } from '../../../shared/native/native-reader.js';
import { NativeWriter } from '../../../shared/native/native-writer.js';
import { silentLogger } from './analytics-store.fixture.js';
import type { AnalyticsStore } from './analytics-store.js';
import { startClickhouseServer, type TestServer } from './clickhouse-server.fixture.js';
import { openAnalyticsStore } from './client.js';
import { migrateAnalyticsStore } from './migrate.js';

let dataDir: string;
let server: TestServer;
let store: AnalyticsStore;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-server-'));
  server = await startClickhouseServer(path.join(dataDir, 'engine'));
  store = await openAnalyticsStore({ clickhouseUrl: server.url, dataDir: '/nonexistent' });
  await migrateAnalyticsStore(store, silentLogger);
});
afterAll(async () => {
  await store.close();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('a server that was migrated takes inserts once per token, and answers with numbers', async () => {
  const insert = {
    table: 'redirect_counters',
    columns: ['redirect_id', 'producer_id', 'recorded'],
    rows: '["rd_1","it\'s; 1",7]\n["rd_2","p2",8]\n',
    deduplicationToken: "it's; 1:1",
  };
  await store.insertRows(insert);
  await store.insertRows(insert);
  const rows = await store.query(
    `SELECT redirect_id AS id, sum(recorded) AS n FROM redirect_counters
     WHERE redirect_id IN {ids:Array(String)} AND producer_id = {producer:String} GROUP BY id`,
    { ids: ['rd_1', 'rd_2'], producer: "it's; 1" },
  );
  expect(rows).toEqual([{ id: 'rd_1', n: 7 }]);
});

it('a block of rows goes to a server as it is, or compressed where it is so already', async () => {
  const block = counterBlock('rd_native', 9);
  const insert = { table: 'redirect_counters', columns: ['redirect_id', 'recorded'] };
  await store.insertRows({ ...insert, rows: { block } });
  expect(server.requests.at(-1)?.encoding).toBe('');
  const compressed = brotliCompressSync(counterBlock('rd_native', 10));
  await store.insertRows({ ...insert, rows: { block, compressed }, deduplicationToken: 'native:2' });
  expect(server.requests.at(-1)?.encoding).toBe('br');
  const rows = await store.query(
    "SELECT max(recorded) AS n FROM redirect_counters WHERE redirect_id = 'rd_native'",
  );
  expect(rows).toEqual([{ n: 10 }]);
});

function counterBlock(redirectId: string, recorded: number): Uint8Array {
  const writer = new NativeWriter();
  beginBlock(writer, 2, 1);
  beginColumn(writer, 'redirect_id', 'String');
  writer.text(redirectId);
  beginColumn(writer, 'recorded', 'UInt64');
  writer.uint64(recorded);
  return writer.written();
}

it('every SELECT goes to a server with its bounds', async () => {
  await store.query('SELECT 1 AS one');
  const select = server.requests.find(({ statement }) => statement.startsWith('SELECT 1 AS one'));
  expect(select?.statement).toMatch(/SETTINGS .*max_execution_time = 30.*max_memory_usage = \d+/);
});

it('a SELECT that is not waited for any longer is bounded by that', async () => {
  await store.query('SELECT 2 AS two', {}, { withinMs: 1_500 });
  const select = server.requests.find(({ statement }) => statement.startsWith('SELECT 2 AS two'));
  expect(select?.statement).toMatch(/max_execution_time = [01](\.\d+)?,/);
});

it('lists of several texts each go to a server', async () => {
  const pairs = [
    ['DE', 'Bavaria'],
    ['FR', ''],
  ];
  const rows = await store.query('SELECT {pairs:Array(Tuple(String, String))} AS pairs', { pairs });
  expect(rows).toEqual([{ pairs }]);
});

it('connections to a server are used again', async () => {
  const before = server.requests.length;
  for (let n = 0; n < 5; n += 1) {
    await store.query('SELECT 1 AS one');
    await store.insertRows({
      table: 'redirect_counters',
      columns: ['redirect_id', 'producer_id', 'recorded'],
      rows: `["rd_3","p",${n}]`,
      deduplicationToken: `again:${n}`,
    });
  }
  const used = new Set(server.requests.slice(before).map(({ connection }) => connection));
  expect(used.size).toBeLessThan(4);
});

it('errors of a server are named like those of the embedded store', async () => {
  const rows = '["rd_1","p","many"]';
  const insert = { table: 'redirect_counters', columns: ['redirect_id', 'producer_id', 'recorded'], rows };
  await expect(store.query('SELECT nothing')).rejects.toMatchObject({ failure: 'failed' });
  await expect(store.insertRows({ ...insert, deduplicationToken: 'bad' })).rejects.toMatchObject({
    failure: 'bad-data',
  });
});

it('a SELECT whose caller left is ended on the server', async () => {
  const leaving = new AbortController();
  const endless = 'SELECT sum(sipHash64(number)) AS endless FROM numbers(1000000000000)';
  const asked = store.query(endless, {}, { signal: leaving.signal }).catch((error: unknown) => error);
  const underWay = () => server.requests.some(({ statement }) => statement.includes('AS endless'));
  await vi.waitFor(() => expect(underWay()).toBe(true));
  leaving.abort();
  expect(await asked).toMatchObject({ failure: 'cancelled' });
  await vi.waitFor(() => expect(server.running()).toBe(0), { timeout: 60_000 });
});

it('rows come from a server as lines of JSON', async () => {
  const lines = await store.queryLines('SELECT number AS n FROM numbers({n:UInt8})', { n: 2 });
  expect(lines.toString()).toBe('{"n":0}\n{"n":1}\n');
});

it('columns come from a server as blocks', async () => {
  const blocks = await store.queryBlocks(
    "SELECT number AS n, toLowCardinality('é') AS t FROM numbers({n:UInt8})",
    { n: 2 },
  );
  const { rows, numbers, texts } = readBlock(new NativeReader(blocks));
  expect([rows, numbers('n')?.at(1), texts('t')?.at(1)]).toEqual([2, 1, 'é']);
});

it('a server that hangs makes questions fail soon, and answers them when it goes on', {
  timeout: 60_000,
}, async () => {
  server.hang();
  const startedAtMs = performance.now();
  const questions = Array.from({ length: 12 }, () => store.query('SELECT 1 AS one'));
  for (const outcome of await Promise.allSettled(questions)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { failure: 'unavailable' } });
  }
  // The client itself would wait for 35 s. A second is for other processes on the machine.
  expect(performance.now() - startedAtMs).toBeLessThan(2_000 + 1_000);
  await expect(store.query('SELECT 1 AS one')).rejects.toThrow('ClickHouse does not answer');
  server.goOn();
  const answer = async () => expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await vi.waitFor(answer, { timeout: 60_000, interval: 100 });
});
