import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryWithin } from './query-within.js';
import { openTestDatabase, type TestDatabase } from './test-database.fixture.js';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

it('returns the rows of a statement', async () => {
  expect(await queryWithin(test.database, 60_000, 'SELECT $1::int AS value', [7])).toEqual([{ value: 7 }]);
});

it('throws the errors of a statement', async () => {
  await expect(queryWithin(test.database, 60_000, 'SELECT 1 / $1::int', [0])).rejects.toThrow(
    'division by zero',
  );
});

it('returns nothing of a statement that takes too long on a server', async () => {
  // The embedded database has no timeouts, so its statement must not wait.
  const seconds = test.database.kind === 'server' ? 600 : 0;
  const rows = await queryWithin(test.database, 20, 'SELECT true AS done FROM pg_sleep($1)', [seconds]);
  expect(rows).toEqual(test.database.kind === 'server' ? undefined : [{ done: true }]);
  expect(await test.database.query('SELECT 1 AS value')).toEqual([{ value: 1 }]);
});
