import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { KEEPING_PLAN, keepPlans } from './embedded-plans.js';

let client: PGlite;

beforeAll(async () => {
  client = keepPlans(await PGlite.create());
});
afterAll(() => client.close());

beforeEach(async () => {
  await client.exec(
    'DROP TABLE IF EXISTS kept; CREATE TABLE kept (id int PRIMARY KEY, text text, at timestamptz)',
  );
});

async function kept(sql: string, params: unknown[] = []) {
  return (await client.query<Record<string, unknown>>(sql, params, KEEPING_PLAN)).rows;
}
async function planned(): Promise<number> {
  const [row] = (await client.query<{ n: number }>('SELECT count(*)::int AS n FROM pg_prepared_statements'))
    .rows;
  return row?.n ?? Number.NaN;
}

it('reads and plans a statement once, and others each time', async () => {
  const before = await planned();
  for (const id of [1, 2, 3]) await kept('INSERT INTO kept (id, text) VALUES ($1, $2)', [id, `ü${id}`]);
  for (const id of [1, 2, 3]) {
    const sql = 'SELECT text, $2::text[] AS list FROM kept WHERE id = $1';
    expect(await kept(sql, [id, ['a', 'b']])).toEqual([{ text: `ü${id}`, list: ['a', 'b'] }]);
  }
  expect(await kept('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect((await client.query('SELECT text FROM kept WHERE id = $1', [2])).rows).toEqual([{ text: 'ü2' }]);
  expect((await planned()) - before).toBe(3);
});

it('gives values of every type as without it, nothing included', async () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const sql = 'INSERT INTO kept (id, text, at) VALUES ($1, $2, $3) RETURNING *';
  for (const [id, ...values] of [
    [1, 'text', at],
    [2, null, null],
  ]) {
    const [row] = await kept(sql, [id, ...values]);
    expect(row).toEqual({ id, text: values[0], at: values[1] });
  }
});

it('goes on after errors: of a statement that is none, of values, and of rows', async () => {
  await expect(kept('SELECT nothing FROM nowhere')).rejects.toThrow('nowhere');
  const insert = 'INSERT INTO kept (id) VALUES ($1)';
  await expect(kept(insert, ['no number'])).rejects.toThrow('integer');
  await kept(insert, [1]);
  await expect(kept(insert, [1])).rejects.toThrow('duplicate key');
  await kept(insert, [2]);
  expect((await client.query('SELECT id FROM kept WHERE id = $1', [2])).rows).toEqual([{ id: 2 }]);
});

it('plans a statement anew whose columns have changed, at its second execution after that', async () => {
  const sql = 'SELECT * FROM kept WHERE id = $1';
  await kept('INSERT INTO kept (id) VALUES ($1)', [1]);
  await kept(sql, [1]);
  await client.exec('ALTER TABLE kept ADD COLUMN more int DEFAULT 5');
  await kept(sql, [1]).catch((error: Error) => expect(error.message).toContain('result type'));
  expect(await kept(sql, [1])).toEqual([{ id: 1, text: null, at: null, more: 5 }]);
});

it('keeps plans over transactions that are rolled back', async () => {
  const sql = 'INSERT INTO kept (id) VALUES ($1) RETURNING id';
  await client
    .transaction(async (tx) => {
      await tx.query(sql, [1], KEEPING_PLAN);
      throw new Error('back');
    })
    .catch(() => undefined);
  expect(await kept(sql, [1])).toEqual([{ id: 1 }]);
});
