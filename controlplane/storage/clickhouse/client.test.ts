import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestStore, type TestStore } from './analytics-store.fixture.js';
import { openAnalyticsStore } from './client.js';

describe('the embedded analytics store', () => {
  let test: TestStore;

  beforeAll(async () => {
    test = await createTestStore();
    await test.store.command(
      "CREATE TABLE notes (id UInt64, at DateTime64(3, 'UTC'), text String) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100",
    );
  });
  afterAll(() => test.remove());

  const insert = (rows: string, deduplicationToken: string) =>
    test.store.insertRows({ table: 'notes', columns: ['id', 'at', 'text'], rows, deduplicationToken });

  it('gives 64-bit integers back as numbers', async () => {
    const rows = await test.store.query(
      'SELECT toUInt64(9007199254740991) AS big, count() AS n FROM numbers(3)',
    );
    expect(rows).toEqual([{ big: 9_007_199_254_740_991, n: 3 }]);
  });

  it('stores texts unchanged, whatever they hold, and binds parameters of every kind', async () => {
    const texts = [
      "it's; DROP TABLE notes;\n--",
      'back\\slash \\n',
      'tab\tquote"',
      'žluťoučký 🐎',
      '{x:String}',
      'nothing\0 and\r\n more',
      '',
    ];
    const rows = texts.map((text, id) => JSON.stringify([id, '2026-01-02 03:04:05.678', text]));
    await insert(rows.join('\n'), 'texts');

    const stored = await test.store.query<{ text: string }>('SELECT text FROM notes ORDER BY id');
    expect(stored.map((row) => row.text)).toEqual(texts);

    const found = await test.store.query(
      'SELECT id FROM notes WHERE text IN {texts:Array(String)} AND id >= {least:Int64} AND text != {not:String} ORDER BY id',
      { texts, least: 1, not: texts[2]! },
    );
    expect(found).toEqual([{ id: 1 }, { id: 3 }, { id: 4 }, { id: 5 }, { id: 6 }]);

    const again = await Promise.all(
      texts.map((text) => test.store.query('SELECT {text:String} AS text', { text })),
    );
    expect(again.flat()).toEqual(texts.map((text) => ({ text })));

    const pairs = texts.map((text) => [text, `${text} again`]);
    const tuples = await test.store.query('SELECT {pairs:Array(Tuple(String, String))} AS pairs', { pairs });
    expect(tuples).toEqual([{ pairs }]);
  });

  it('binds lists that are longer than a statement usually is', async () => {
    const ids = Array.from({ length: 5_000 }, (_, id) => String(id).padStart(100, 'x'));
    const rows = await test.store.query('SELECT uniqExact(arrayJoin({ids:Array(String)})) AS n', { ids });
    expect(rows).toEqual([{ n: 5_000 }]);
  });

  it('compiles no questions, which the fourth of a kind would wait for', async () => {
    const setting = (name: string) => `toUInt8(getSetting('${name}'))`;
    const compiles = ['compile_expressions', 'compile_aggregate_expressions', 'compile_sort_description'];
    const query = `SELECT ${compiles.map(setting).join(' + ')} AS compiled`;
    // Concurrent queries, so that every connection answers one.
    const answers = await Promise.all(Array.from({ length: 8 }, () => test.store.query(query)));
    expect(answers.flat()).toEqual(answers.map(() => ({ compiled: 0 })));
  });

  it('does not run a statement with a parameter that has no value, be it that an earlier one had one', async () => {
    const sql = 'SELECT {redirect:String} AS redirect';
    for (let n = 0; n < 3; n += 1) await test.store.query(sql, { redirect: 'rd_1' });
    await expect(test.store.query(sql)).rejects.toThrow('the parameter redirect has no value');
  });

  it('answers a question with parameters while another one goes on', async () => {
    const endless = test.store.query('SELECT sum(sipHash64(number)) AS n FROM numbers({count:UInt64})', {
      count: 1_000_000_000_000,
    });
    const ended = endless.catch((error: unknown) => error);
    expect(await test.store.query('SELECT {n:UInt8} AS n', { n: 7 })).toEqual([{ n: 7 }]);
    await test.reopen();
    expect(await ended).toMatchObject({ failure: 'unavailable' });
  });

  it('keeps one of several inserts with the same token, also after it was opened anew', async () => {
    const count = () => test.store.query("SELECT count() AS n FROM notes WHERE text = 'once'");
    const row = JSON.stringify([100, '2026-01-02 03:04:05.678', 'once']);

    await insert(row, "producer'1\\:7");
    await insert(row, "producer'1\\:7");
    expect(await count()).toEqual([{ n: 1 }]);

    await test.reopen();
    await insert(row, "producer'1\\:7");
    expect(await count()).toEqual([{ n: 1 }]);

    await insert(row, "producer'1\\:8");
    expect(await count()).toEqual([{ n: 2 }]);
  });

  it.each([
    ['a query that is wrong', () => test.store.query('SELECT nothing'), 'failed'],
    ['rows that cannot be read', () => insert('["x"', 'broken'), 'bad-data'],
    ['rows of the wrong type', () => insert('["x","2026-01-02 03:04:05.678","t"]', 'typed'), 'bad-data'],
    [
      'a question too big for its memory',
      () =>
        test.store.query(
          "SELECT length(groupArray(concat(toString(number), repeat('x', 100000)))) AS n FROM numbers(50000)",
        ),
      'too-heavy',
    ],
  ])('names %s', async (_, work, failure) => {
    await expect(work()).rejects.toMatchObject({ name: 'AnalyticsStoreError', failure });
  });

  it('tells more texts apart than its memory holds', async () => {
    const texts = "SELECT concat(repeat('x', 3000), toString(number)) AS text FROM numbers(390000)";
    const rows = await test.store.query(
      // A high limit, because spilling takes long on a busy machine and this test is not about time.
      `SELECT count() AS n FROM (SELECT text FROM (${texts}) GROUP BY text) SETTINGS max_execution_time = 250`,
    );
    expect(rows).toEqual([{ n: 390_000 }]);
  });

  it('leaves the threads of Node free while many queries wait', async () => {
    const slow = 'SELECT sum(sipHash64(number)) AS s FROM numbers(8000000)';
    const ended: string[] = [];
    const queries = Array.from({ length: 6 }, () => test.store.query(slow).then(() => ended.push('query')));
    await stat(test.dataDir);
    ended.push('stat');
    await Promise.all(queries);
    expect(ended.indexOf('stat')).toBeLessThan(3);
  });

  it('answers a ping while a query runs', async () => {
    let running = true;
    const query = test.store.query('SELECT sum(sipHash64(number)) AS s FROM numbers(8000000)').then(() => {
      running = false;
    });
    await test.store.ping();
    expect(running).toBe(true);
    await query;
    await test.store.ping();
  });

  it('gives a statement 30 seconds, or the time that its caller allows', async () => {
    const sql = "SELECT toFloat64(getSetting('max_execution_time')) AS seconds";
    expect(await test.store.query(sql)).toEqual([{ seconds: 30 }]);
    const [allowed] = await test.store.query<{ seconds: number }>(sql, {}, { withinMs: 3_600_000 });
    expect(allowed?.seconds).toBeGreaterThan(3_000);
  });

  it('ends a query that is not answered within its time, and does not begin one whose turn comes too late', async () => {
    const endless = 'SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)';
    const running = [200, 200, 200].map((withinMs) => test.store.query(endless, {}, { withinMs }));
    const late = test.store.query('SELECT 1 AS n', {}, { withinMs: 20 });
    const outcomes = await Promise.allSettled([...running, late]);
    expect(outcomes).toMatchObject([
      { reason: { failure: 'too-heavy' } },
      { reason: { failure: 'too-heavy' } },
      { reason: { failure: 'too-heavy' } },
      { reason: { failure: 'unavailable', message: 'its turn did not come within 20 ms' } },
    ]);
    expect(await test.store.query('SELECT 1 AS n', {}, { withinMs: 10_000 })).toEqual([{ n: 1 }]);
  });

  it('ends queries whose callers left, and answers the next ones', async () => {
    const endless = 'SELECT sum(sipHash64(number)) AS n FROM numbers({count:UInt64})';
    const leaving = new AbortController();
    const { signal } = leaving;
    const left = Array.from({ length: 5 }, () => test.store.query(endless, { count: 1e12 }, { signal }));
    const outcomes = Promise.allSettled(left);
    await vi.waitFor(async () => {
      const [running] = await test.store.query<{ n: number }>(
        "SELECT count() AS n FROM system.processes WHERE query LIKE 'SELECT sum%'",
        {},
        { isIngestion: true },
      );
      expect(running?.n).toBe(3);
    });
    leaving.abort();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { failure: 'cancelled' } });
    // All connections are free again.
    const next = [1, 2, 3].map((n) => test.store.query(`SELECT ${n} AS n`));
    expect(await Promise.all(next)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  });

  it('gives a query one thread when others wait as it begins, and two otherwise', async () => {
    const asked = Array.from({ length: 6 }, () =>
      test.store.query<{ threads: number }>(
        "SELECT sleep(0.2), toUInt8(getSetting('max_threads')) AS threads",
      ),
    );
    const threads = (await Promise.all(asked)).map(([row]) => row?.threads);
    expect(threads).toEqual([1, 1, 1, 1, 1, 2]);
  });

  it('stores hits while questions take all turns', async () => {
    const leaving = new AbortController();
    const endless = 'SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)';
    const questions = Array.from({ length: 20 }, () =>
      test.store.query(endless, {}, { signal: leaving.signal, isBackground: true }),
    );
    const outcomes = Promise.allSettled(questions);
    await insert(JSON.stringify([200, '2026-01-02 03:04:05.678', 'busy']), 'busy:1');
    const stored = "SELECT count() AS n FROM notes WHERE text = 'busy'";
    expect(await test.store.query(stored, {}, { isIngestion: true })).toEqual([{ n: 1 }]);
    leaving.abort();
    await outcomes;
  });

  it('returns the rows of a query as lines of JSON', async () => {
    const lines = await test.store.queryLines("SELECT number AS n, 'é' AS t FROM numbers({n:UInt8})", {
      n: 2,
    });
    expect(lines.toString()).toBe('{"n":0,"t":"é"}\n{"n":1,"t":"é"}\n');
    expect((await test.store.queryLines('SELECT 1 AS n WHERE 0')).length).toBe(0);
    await expect(test.store.queryLines('SELECT nothing')).rejects.toMatchObject({ failure: 'failed' });
  });

  it('lets a running query end before it closes', async () => {
    const query = test.store.query('SELECT count() AS n FROM numbers(50000000)');
    await test.reopen();
    expect(await query).toEqual([{ n: 50_000_000 }]);
  });

  it('ends a query that would run for long, and refuses what waits behind it, when it closes', async () => {
    const endless = 'SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)';
    const queries = Array.from({ length: 5 }, () => test.store.query(endless));
    const outcomes = Promise.allSettled(queries);
    await test.reopen();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { failure: 'unavailable' } });
    }
    expect(await test.store.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('ends a query too that comes while it closes', async () => {
    const running = test.store.query('SELECT sum(sipHash64(number)) AS n FROM numbers(1000000)');
    const reopening = test.reopen();
    const late = test.store.query('SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)');
    let outcome: unknown = 'still at it';
    const ended = late.catch((error: unknown) => {
      outcome = error;
    });
    await reopening;
    expect(outcome).toMatchObject({ failure: 'unavailable' });
    await Promise.allSettled([running, ended]);
  });

  it('says which folder cannot be opened', async () => {
    await expect(openAnalyticsStore({ dataDir: `${test.dataDir}/other` })).rejects.toThrow(
      /^the embedded ClickHouse cannot open .*other.clickhouse: /,
    );
  });
});

describe('a server that does not answer', () => {
  it('is unavailable', async () => {
    // Port 1 of this machine refuses connections immediately.
    const store = await openAnalyticsStore({ clickhouseUrl: 'http://127.0.0.1:1', dataDir: '/nonexistent' });
    const failure = { name: 'AnalyticsStoreError', failure: 'unavailable' };
    await expect(store.query('SELECT 1')).rejects.toMatchObject(failure);
    await expect(store.ping()).rejects.toMatchObject(failure);
    await store.close();
  });
});
