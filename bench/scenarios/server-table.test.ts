import { expect, it } from 'vitest';
import { serverResult } from '../report/results.fixture.js';
import { formatServerTable } from './server-table.js';

it('a row shows medians, spread, ratios and counts', () => {
  const row = formatServerTable([serverResult()]).split('\n')[2]!;
  const cells = row.split('|').map((cell) => cell.trim());
  expect(cells.slice(1, -1)).toEqual([
    'waymark',
    '8.00',
    '8.00–9.50',
    '1.00',
    '–',
    '12,345',
    '0.50',
    '1.25',
    '100',
    '200',
  ]);
});
