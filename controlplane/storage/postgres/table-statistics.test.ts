import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Database } from './database.js';
import { createTableStatistics } from './table-statistics.js';

const logger = pino({ level: 'silent' });

/** Statistics of a table that was analyzed when it had `known` rows. */
function setUp(known: number) {
  const statements: string[] = [];
  const database = {
    query: async (sql: string) => {
      statements.push(sql.split(' ')[0] ?? '');
      return sql.startsWith('SELECT') ? [{ known }] : [];
    },
  } as unknown as Database;
  return { statistics: createTableStatistics(database, ['things', 'others'], logger), statements };
}

it('a table that has doubled is analyzed', async () => {
  const { statistics, statements } = setUp(1_000);
  await statistics.noteNewRows(999);
  expect(statements).toEqual(['SELECT']);
  await statistics.noteNewRows(1);
  expect(statements).toEqual(['SELECT', 'SELECT', 'ANALYZE']);
});

it('a large table is not looked up with each new row', async () => {
  const { statistics, statements } = setUp(1_000_000);
  for (let row = 0; row < 10_000; row += 1) await statistics.noteNewRows(1);
  expect(statements).toEqual(['SELECT']);
});

it('a table with few new rows is left alone', async () => {
  const { statistics, statements } = setUp(0);
  await statistics.noteNewRows(499);
  expect(statements).toEqual([]);
});

it('rows noted while the size is looked up begin no second look-up', async () => {
  const { statistics, statements } = setUp(0);
  await Promise.all(Array.from({ length: 600 }, () => statistics.noteNewRows(1)));
  expect(statements).toEqual(['SELECT', 'ANALYZE']);
});
