import { expect, it } from 'vitest';
import { skipped, taken } from './outcome.js';
import { RowWriter } from './row-writer.js';

it('numbers rows without gaps, and names the line once the numbers differ', () => {
  const rows = new RowWriter();
  const redirect = taken({ path: '/a', destination: '/b' });
  expect([
    ...rows.write('first', [skipped('Comment.')], 1),
    ...rows.write('second', [redirect, redirect], 2),
    ...rows.write('third', [skipped('Comment.')], 3),
  ]).toMatchObject([
    { row: 1, source: 'first', message: 'Comment.' },
    { row: 2, source: 'second', status: 'read' },
    { row: 3, source: 'second', status: 'read' },
    { row: 4, source: 'third', message: 'Line 3: Comment.' },
  ]);
});
