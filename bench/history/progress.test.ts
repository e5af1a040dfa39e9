import { expect, it } from 'vitest';
import { createProgress, formatDuration } from './progress.js';
import { storedRun } from './stored-run.fixture.js';

it('estimates the time left from the last run of the same pace', () => {
  const runs = [
    storedRun({ seconds: { plain: 100, updates: 100 } }),
    storedRun({ seconds: { plain: 20, updates: 40 } }),
    storedRun({ pace: 'quick', seconds: { plain: 1, updates: 1 } }),
  ];
  const progress = createProgress(['plain', 'updates'], runs, 'full');
  expect(progress.lineBefore(0)).toBe('scenario 1 of 2: plain (about 1 min left)');
  progress.ended(0, 20);
  expect(progress.lineBefore(1)).toBe('scenario 2 of 2: updates (about 40 s left)');
});

it('corrects the estimate by what the first scenarios took', () => {
  const runs = [storedRun({ seconds: { plain: 20, updates: 40 } })];
  const progress = createProgress(['plain', 'updates'], runs, 'full');
  progress.ended(0, 60);
  expect(progress.lineBefore(1)).toBe('scenario 2 of 2: updates (about 2 min left)');
});

it('says when it does not know the duration of some or all scenarios', () => {
  const runs = [storedRun({ seconds: { plain: 20 } })];
  expect(createProgress(['plain', 'new'], runs, 'full').lineBefore(0)).toContain('more than 20 s left');
  expect(createProgress(['new'], runs, 'full').lineBefore(0)).toContain('time left unknown');
});

it.each([
  [0.2, '1 s'],
  [59, '59 s'],
  [61, '1 min'],
  [3_900, '1 h 5 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
