import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestStore, type TestStore } from '../../storage/clickhouse/analytics-store.fixture.js';
import { amongTexts } from './among-texts.js';

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());

/**
 * Returns the numbers that the condition finds. Each pair of texts encodes a number; the condition must find exactly
 * the pairs of `rows`.
 */
async function found(rows: readonly (readonly string[])[], columns: readonly string[]): Promise<number[]> {
  const { sql, params } = amongTexts(columns, rows, 'wanted');
  const answer = await test.store.query<{ n: number }>(
    `SELECT n FROM (
       SELECT number AS n, concat(repeat('x', 1000), toString(n)) AS long, toString(n % 3) AS short FROM numbers(300)
     ) WHERE ${sql} ORDER BY n`,
    params,
  );
  return answer.map(({ n }) => n);
}

const long = (n: number) => `${'x'.repeat(1_000)}${n}`;

describe('a condition that columns are among some texts', () => {
  it('is true of one column that has one of them', async () => {
    expect(await found([[long(7)], [long(9)]], ['long'])).toEqual([7, 9]);
  });

  it('is true of several columns that have those of one row', async () => {
    const rows = [
      [long(4), '1'],
      [long(5), '1'],
    ];
    expect(await found(rows, ['long', 'short'])).toEqual([4]);
  });

  it('is false when there are none', async () => {
    expect(await found([], ['long'])).toEqual([]);
    expect(await found([], ['long', 'short'])).toEqual([]);
  });

  it('takes several parameters for what is too long for one', async () => {
    const rows = Array.from({ length: 200 }, (_, n) => [long(n)]);
    const { params } = amongTexts(['long'], rows, 'wanted');
    const sizes = Object.values(params).map((texts) => JSON.stringify(texts).length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(128 * 1024);
    expect(await found(rows, ['long'])).toEqual(rows.map((_, n) => n));
  });
});
