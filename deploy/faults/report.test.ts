import { expect, test } from 'vitest';
import type { Fault } from './fault.js';
import { mergedTable, type Row } from './report.js';

const faultOf = (summary: string): Fault => ({
  name: summary,
  summary,
  isQuick: false,
  allowedLoss: 'none',
  prepare: () => ({ run: async () => {} }),
});
const [first, second, third] = ['first', 'second', 'third'].map(faultOf) as [Fault, Fault, Fault];
const rowOf = (fault: Fault, outcome: Row['outcome']): Row => ({ fault, outcome, problems: [] });
const verdicts = (table: string) =>
  table
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .map((cell) => cell.trim())
        .filter(Boolean),
    );

test('results take the place of former ones in the table, and those of faults not played stay', () => {
  const order = [first, second, third];
  const before = mergedTable('\n', [rowOf(second, 'failed'), rowOf(first, 'passed')], order);
  expect(verdicts(before)).toEqual([
    ['first', 'passed'],
    ['second', 'failed'],
  ]);
  const after = mergedTable(
    `\n\n${before}\n\n`,
    [rowOf(third, 'impossible'), rowOf(second, 'passed')],
    order,
  );
  expect(verdicts(after)).toEqual([
    ['first', 'passed'],
    ['second', 'passed'],
    ['third', 'not shown here'],
  ]);
  expect(verdicts(mergedTable(after, [], [third]))).toEqual([['third', 'not shown here']]);
});
