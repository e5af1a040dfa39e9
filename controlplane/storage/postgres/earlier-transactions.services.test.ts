import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from './database.js';
import { endOfEarlierTransactions } from './earlier-transactions.js';
import { openTestDatabase, type TestDatabase } from './test-database.fixture.js';

let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

it('transactions that have begun are waited for up to the limit, with few statements', async () => {
  const { database } = test;
  let statements = 0;
  const counted: Database = {
    ...database,
    query(sql, params) {
      statements += 1;
      return database.query(sql, params);
    },
  };
  const waiting = await database.transaction(async (tx) => {
    await tx.query('SELECT 1');
    expect(await endOfEarlierTransactions(counted, 1_000)).toBe(false);
    expect(statements).toBeLessThan(15);
    return { ended: endOfEarlierTransactions(database, 60_000) };
  });
  expect(await waiting.ended).toBe(true);
});
