import { expect, it } from 'vitest';
import { createPhases } from './phases.js';

it('says how much time is left by the pace so far', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const phases = createPhases(
    [
      ['seeding', 10],
      ['measuring', 30],
    ],
    (line) => lines.push(line),
    () => nowMs,
  );
  phases.begin('seeding');
  nowMs = 10_000;
  phases.progress('seeding, half of the rows', 0.5);
  nowMs = 20_000;
  phases.begin('measuring');
  expect(lines).toEqual([
    '1 of 2: seeding; about 40 s left',
    '1 of 2: seeding, half of the rows; about 70 s left',
    '2 of 2: measuring; about 60 s left',
  ]);
});

it('knows only the phases of its plan', () => {
  const phases = createPhases([['seeding', 10]], () => {});
  expect(() => phases.begin('measuring')).toThrow('there is no phase "measuring"');
});
