import { expect, it } from 'vitest';
import { HIT_COLUMNS } from '../../shared/hits/hit-row.js';
import { HitLinesError } from './hit-lines.js';
import { ordinalsByRedirect } from './ordinals-by-redirect.js';

const rowOf = (hitId: string, redirectId: string) => [
  hitId,
  redirectId,
  '2026-01-31 12:00:00.000',
  ...Array<string>(HIT_COLUMNS.length - 3).fill('["p-9","other"'),
];
const read = (...lines: string[]) => [...ordinalsByRedirect(lines.join('\n'), 'p-1')];

it('rows are told apart by redirect', () => {
  const lines = [rowOf('p-1-7', 'a'), rowOf('p-1-8', 'b'), rowOf('p-1-9', 'a')];
  expect(read(...lines.map((row) => JSON.stringify(row)), '')).toEqual([
    ['a', [7, 9]],
    ['b', [8]],
  ]);
});

it('rows that are written in another way say the same', () => {
  const spaced = JSON.stringify(rowOf('p-1-8', 'a'), null, 1).replaceAll('\n', ' ');
  const escaped = JSON.stringify(rowOf('p-1-9', 'a')).replace('"a"', '"\\u0061"');
  expect(read(spaced, escaped, ` ${JSON.stringify(rowOf('p-1-10', '"'))}`)).toEqual([
    ['a', [8, 9]],
    ['"', [10]],
  ]);
});

it('a batch without rows has none', () => {
  expect(read('')).toEqual([]);
});

it.each([
  ['of another producer', JSON.stringify(rowOf('p-2-8', 'a'))],
  ['of a producer whose name begins alike', JSON.stringify(rowOf('p-1-1-8', 'a'))],
  ['without an ordinal', JSON.stringify(rowOf('p-1-', 'a'))],
  ['that is no JSON', 'nonsense'],
])('a row %s is refused, wherever it stands', (_, line) => {
  const good = JSON.stringify(rowOf('p-1-7', 'a'));
  expect(() => read(good, line, good)).toThrow(HitLinesError);
});
