import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from './database.js';
import { openDatabase } from './open-database.js';
import { openTestDatabase, type TestDatabase } from './test-database.fixture.js';

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await openTestDatabase();
  database = test.database;
  await database.script(`
    CREATE TABLE counters (name text PRIMARY KEY, value bigint NOT NULL);
    INSERT INTO counters VALUES ('hits', 0);
  `);
});
afterAll(() => test.close());

const counterValue = async (name: string) =>
  (await database.query<{ value: number }>('SELECT value FROM counters WHERE name = $1', [name]))[0]?.value;

describe('a statement', () => {
  it('returns values of the types that the code works with', async () => {
    const [row] = await database.query<Record<string, unknown>>(
      `SELECT 9007199254740991::bigint AS big, count(*) AS count, 0.25::double precision AS share,
         '2026-01-02T03:04:05.678Z'::timestamptz AS time, '{"a":[1,null]}'::jsonb AS json,
         ARRAY['a', 'b'] AS list, $1::bytea AS bytes, NULL AS nothing, true AS yes`,
      [Buffer.from([0, 255])],
    );
    expect(row).toStrictEqual({
      big: Number.MAX_SAFE_INTEGER,
      count: 1,
      share: 0.25,
      time: new Date('2026-01-02T03:04:05.678Z'),
      json: { a: [1, null] },
      list: ['a', 'b'],
      bytes: Buffer.from([0, 255]),
      nothing: null,
      yes: true,
    });
  });

  it('takes parameters of those types, and takes none of them for SQL', async () => {
    const time = new Date('2026-01-02T03:04:05.678Z');
    const text = `'; DROP TABLE counters; -- "$1" 😀`;
    const [row] = await database.query(
      `SELECT $1::text AS text, $2::timestamptz AS time, $3::text[] AS list, $4::bigint AS big, $5::text AS nothing`,
      [text, time, ['a,b', '"', '{}'], 5_000_000_000, null],
    );
    expect(row).toEqual({ text, time, list: ['a,b', '"', '{}'], big: 5_000_000_000, nothing: null });
  });
});

describe('a transaction', () => {
  const add = (name: string, value: number) =>
    [`INSERT INTO counters VALUES ($1, $2)`, [name, value]] as const;

  it('lets others have their turn between statements that take long together', async () => {
    let turns = 0;
    let isDone = false;
    const countTurns = (): void => {
      turns += 1;
      if (!isDone) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    await database.transaction(async (tx) => {
      for (let at = 0; at < 30; at += 1) await tx.query('SELECT count(*) FROM generate_series(1, 100000)');
    });
    isDone = true;
    expect(turns).toBeGreaterThan(3);
  });

  it('is there as a whole when it is done, and returns what its work returned', async () => {
    const result = await database.transaction(async (tx) => {
      await tx.query(...add('one', 1));
      await tx.query(...add('two', 2));
      return 'done';
    });
    expect(result).toBe('done');
    expect([await counterValue('one'), await counterValue('two')]).toEqual([1, 2]);
  });

  it('leaves nothing when its work fails, and passes the failure on', async () => {
    const failure = new Error('no');
    const attempt = database.transaction(async (tx) => {
      await tx.query(...add('three', 3));
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await counterValue('three')).toBeUndefined();
  });

  it('leaves nothing when one of its statements fails, and the next one works', async () => {
    const attempt = database.transaction(async (tx) => {
      await tx.query(...add('four', 4));
      await tx.query('SELECT 1 / 0');
    });
    await expect(attempt).rejects.toMatchObject({ code: '22012' });
    expect(await counterValue('four')).toBeUndefined();
    expect(await database.transaction((tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  it('loses nothing to others that run at the same time', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        database.transaction(async (tx) => {
          const [row] = await tx.query<{ value: number }>(
            "SELECT value FROM counters WHERE name = 'hits' FOR UPDATE",
          );
          await tx.query("UPDATE counters SET value = $1 WHERE name = 'hits'", [(row?.value ?? 0) + 1]);
        }),
      ),
    );
    expect(await counterValue('hits')).toBe(20);
  });

  it.each(['read committed', 'repeatable read'] as const)(
    'can be of the isolation level %s',
    async (isolation) => {
      const rows = await database.transaction((tx) => tx.query('SHOW transaction_isolation'), { isolation });
      expect(rows).toEqual([{ transaction_isolation: isolation }]);
    },
  );
});

describe('the embedded database', () => {
  const logger = pino({ level: 'silent' });

  it('keeps its data, is not disturbed by an unfinished one, and does not answer once it is closed', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-embedded-'));
    try {
      const config = { databaseUrl: undefined, dataDir };
      await mkdir(path.join(dataDir, 'postgres.creating', 'base'), { recursive: true });
      const first = await openDatabase(config, logger);
      expect(first.kind).toBe('embedded');
      expect(await first.query('SHOW shared_buffers')).toEqual([{ shared_buffers: '16MB' }]);
      await first.query("INSERT INTO users (id, email) VALUES ('a', 'a@example.com')");
      await first.close();
      await expect(first.ping()).rejects.toThrow();
      expect(await readdir(dataDir)).toEqual(['postgres']);

      const second = await openDatabase(config, logger);
      expect(await second.query('SELECT id FROM users')).toEqual([{ id: 'a' }]);
      await second.close();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('a server that is not there', () => {
  it('makes the start fail within seconds, with a message that does not hold the password', async () => {
    const opening = openDatabase(
      { databaseUrl: 'postgres://waymark:hunter2@127.0.0.1:1/waymark', dataDir: '' },
      pino({ level: 'silent' }),
    );
    await expect(opening).rejects.toThrow(
      /^DATABASE_URL names a server that cannot be reached: .*ECONNREFUSED/,
    );
    await expect(opening).rejects.not.toThrow('hunter2');
  });
});
