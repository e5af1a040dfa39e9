import { expect, it } from 'vitest';
import { serverResult } from '../report/results.fixture.js';
import { formatServerTable } from './server-table.js';

function cellsOf(table: string, line: number): string[] {
  return table
    .split('\n')
    [line]!.split('|')
    .map((cell) => cell.trim())
    .slice(1, -1);
}

it('a row shows medians, spread, ratios and counts', () => {
  expect(cellsOf(formatServerTable([serverResult()]), 2)).toEqual([
    'waymark',
    '8.00',
    '8.00–9.50',
    '1.00',
    '–',
    '12,345',
    '0.50',
    '1.25',
    '100',
    '0.25',
    '200',
  ]);
});

it('a column of only some comparisons is shown if a row has a value for it', () => {
  const table = formatServerTable([
    serverResult({ ratioToRules10: 1.2 }),
    serverResult({ server: 'waymark, 10 rules' }),
  ]);
  expect(cellsOf(table, 0).at(-1)).toBe('× 10 rules');
  expect([2, 3].map((line) => cellsOf(table, line).at(-1))).toEqual(['1.20', '–']);
});
