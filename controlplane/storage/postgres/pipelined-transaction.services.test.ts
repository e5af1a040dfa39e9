import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import { type Database, type Queryable, sendLater } from './database.js';
import { DatabaseUnavailableError } from './database-unavailable.js';
import { openPostgresServer } from './postgres-server.js';
import { createTestSchema } from './test-database.fixture.js';

let schema: Awaited<ReturnType<typeof createTestSchema>>;
let database: Database;

beforeAll(async () => {
  schema = await createTestSchema(processEnvironment().DATABASE_URL ?? '');
  database = openPostgresServer(schema.databaseUrl, pino({ level: 'silent' }));
  await database.script('CREATE TABLE numbers (number bigint PRIMARY KEY, word text)');
});
afterAll(async () => {
  await database?.close();
  await schema?.drop();
});
beforeEach(() => database.script('TRUNCATE numbers'));

const INSERT = 'INSERT INTO numbers VALUES ($1, $2)';
const insert = (tx: Queryable, number: number) => sendLater(tx, INSERT, [number, `word ${number}`]);
const stored = async (source: Queryable = database) =>
  (await source.query<{ number: number }>('SELECT number FROM numbers ORDER BY number')).map(
    ({ number }) => number,
  );

describe.each([{ keepsPlans: true }, { keepsPlans: false }])('a transaction (%o)', (options) => {
  it('executes its statements in their order, those that nobody waits for included', async () => {
    const seen = await database.transaction(async (tx) => {
      await insert(tx, 1);
      const [before, after] = await Promise.all([stored(tx), insert(tx, 2).then(() => stored(tx))]);
      await insert(tx, 3);
      return { before, after };
    }, options);
    expect(seen).toEqual({ before: [1], after: [1, 2] });
    expect(await stored()).toEqual([1, 2, 3]);
  });

  it('fails with the error of a statement that nobody waited for, and commits nothing', async () => {
    await database.transaction((tx) => insert(tx, 7), options);
    const next = database.transaction(async (tx) => {
      await insert(tx, 1);
      await insert(tx, 7);
      return stored(tx);
    }, options);
    await expect(next).rejects.toMatchObject({ code: '23505' });
    const last = database.transaction(async (tx) => {
      await insert(tx, 2);
      await insert(tx, 7);
    }, options);
    await expect(last).rejects.toMatchObject({ code: '23505' });
    expect(await stored()).toEqual([7]);
  });

  it('fails with the error of its last statement, for which nobody waited', async () => {
    const failed = database.transaction(async (tx) => {
      await insert(tx, 1);
      // Both are sent together, so the answer to the first one does not tell.
      await Promise.all([stored(tx), sendLater(tx, 'SELECT 1 / $1::int', [0])]);
    }, options);
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await stored()).toEqual([]);
  });

  it('executes nothing that was not sent before it failed', async () => {
    const refused = database.transaction(
      (tx) => Promise.all([tx.query(INSERT, [1, 'one']), Promise.reject(new Error('refused'))]),
      options,
    );
    await expect(refused).rejects.toThrow('refused');
    expect(await stored()).toEqual([]);
    const failed = database.transaction(
      (tx) =>
        Promise.all([
          stored(tx).then(() => tx.query(INSERT, [2, 'two'])),
          tx.query('SELECT 1 / $1::int', [0]),
        ]),
      options,
    );
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await stored()).toEqual([]);
  });

  it('executes nothing after its end', async () => {
    let late: Queryable | undefined;
    await database.transaction(async (tx) => {
      late = tx;
      await insert(tx, 1);
    }, options);
    await expect(late?.query(INSERT, [2, 'two'])).rejects.toThrow('has ended');
    expect(await stored()).toEqual([1]);
  });

  it('reports an error as the sender of the statement wants it', async () => {
    const failed = database.transaction(async (tx) => {
      tx.send?.('SELECT 1 / $1::int', [0], () => new Error('replaced'));
      await Promise.all([stored(tx), stored(tx)]);
    }, options);
    await expect(failed).rejects.toThrow('replaced');
  });

  it('goes on after a rollback to a savepoint', async () => {
    await database.transaction(async (tx) => {
      await insert(tx, 1);
      await sendLater(tx, 'SAVEPOINT here');
      await insert(tx, 1);
      await expect(tx.query('SELECT 1')).rejects.toMatchObject({ code: '23505' });
      await tx.query('ROLLBACK TO SAVEPOINT here');
      await insert(tx, 2);
    }, options);
    expect(await stored()).toEqual([1, 2]);
  });

  it('executes nothing when a parameter cannot be sent', async () => {
    const failed = database.transaction(async (tx) => {
      await insert(tx, 1);
      const cyclic: { self?: unknown } = {};
      cyclic.self = cyclic;
      await sendLater(tx, INSERT, [2, cyclic]);
      await insert(tx, 3);
    }, options);
    await expect(failed).rejects.toThrow(/circular/i);
    expect(await stored()).toEqual([]);
    await database.transaction((tx) => insert(tx, 3), options);
    expect(await stored()).toEqual([3]);
  });

  it('prepares statements again that an error has kept from being prepared', async () => {
    const word = `'${options.keepsPlans}'`;
    const sql = `SELECT $1::int AS number, ${word} AS word`;
    const failed = database.transaction(async (tx) => {
      tx.send?.('SELECT 1 / $1::int', [0]);
      return tx.query(sql, [1]);
    }, options);
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    for (let at = 0; at < 12; at += 1) {
      const rows = await database.transaction((tx) => tx.query<{ number: number }>(sql, [at]), options);
      expect(rows[0]?.number).toBe(at);
    }
  });

  it('leaves no connection behind that has prepared statements of which this process does not know', async () => {
    const url = new URL(schema.databaseUrl);
    url.searchParams.set('query_timeout', '400');
    const impatient = openPostgresServer(url.href, pino({ level: 'silent' }));
    const read = (tx: Queryable) => tx.query<{ number: number }>('SELECT $1::int AS number', [1]);
    const tooLong = impatient.transaction(
      (tx) => Promise.all([tx.query('SELECT pg_sleep(0.3)'), tx.query('SELECT pg_sleep(0.3)'), read(tx)]),
      options,
    );
    await expect(tooLong).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await impatient.transaction(read, options)).toEqual([{ number: 1 }]);
    await impatient.close();
  });

  it('asks PostgreSQL nothing when it has no statements', async () => {
    expect(await database.transaction(async () => 'done', options)).toBe('done');
    const refused = database.transaction(async (tx) => {
      await insert(tx, 1);
      throw new Error('refused');
    }, options);
    await expect(refused).rejects.toThrow('refused');
    expect(await stored()).toEqual([]);
  });

  it('returns what it has read before it has ended, and fails like any other', async () => {
    const reading = { ...options, onlyReads: true };
    await database.transaction((tx) => insert(tx, 1), options);
    expect(await database.transaction(stored, reading)).toEqual([1]);
    const failed = database.transaction((tx) => tx.query('SELECT 1 / $1::int', [0]), reading);
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    // More than there are connections.
    const many = Array.from({ length: 40 }, () => database.transaction(stored, reading));
    expect(await Promise.all(many)).toEqual(many.map(() => [1]));
  });
});
