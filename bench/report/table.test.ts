import { expect, it } from 'vitest';
import { type Column, formatDecimal, formatTable, formatWhole } from './table.js';

interface Row {
  readonly name: string;
  readonly count: number;
}

const columns: readonly Column<Row>[] = [
  { title: 'name', isText: true, cell: ({ name }) => name },
  { title: 'count', cell: ({ count }) => formatWhole(count) },
];

it('a table has a line for each row and lines up', () => {
  const rows = [
    { name: 'first one', count: 7 },
    { name: 'second', count: 12_345 },
  ];
  expect(formatTable(columns, rows).split('\n')).toEqual([
    '| name      |  count |',
    '| --------- | -----: |',
    '| first one |      7 |',
    '| second    | 12,345 |',
  ]);
});

it.each([
  { value: 1, expected: '1.00' },
  { value: 0.126, expected: '0.13' },
  { value: null, expected: '–' },
])('$value is shown as $expected', ({ value, expected }) => {
  expect(formatDecimal(value)).toBe(expected);
});
