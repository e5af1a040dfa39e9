import { expect, it } from 'vitest';
import { emptyRow } from '../scenarios/results.js';
import { SCENARIOS } from '../scenarios/scenarios.js';
import { compareWithGoals, formatGoalTable } from './goal-table.js';
import { GOALS, type Goal } from './goals.js';
import { serverResult } from './results.fixture.js';

const most: Goal = {
  text: 'little',
  scenario: 'plain',
  field: 'ratioToNginx',
  limit: 2,
  unit: '× nginx',
  method: 'by trying',
};

it.each([
  { goal: most, ratioToNginx: 2, isMet: true, ratio: 1 },
  { goal: most, ratioToNginx: 2.1, isMet: false, ratio: 1.05 },
  { goal: { ...most, isLeast: true as const }, ratioToNginx: 1, isMet: false, ratio: 0.5 },
  { goal: { ...most, isLeast: true as const }, ratioToNginx: 3, isMet: true, ratio: 1.5 },
])('$ratioToNginx of $goal.limit is met: $isMet', ({ goal, ratioToNginx, isMet, ratio }) => {
  const [row] = compareWithGoals([goal], [serverResult({ ratioToNginx })]);
  expect(row).toMatchObject({ measured: ratioToNginx, isMet, ratio });
});

it.each([
  { what: 'a scenario that did not run', results: [] },
  { what: 'one that was skipped', results: [{ ...emptyRow('plain'), skipped: 'not here' }] },
  { what: 'a peer that was missing', results: [serverResult({ ratioToNginx: null })] },
])('$what leaves its goal open', ({ results }) => {
  const rows = compareWithGoals([most], results);
  expect(rows[0]).toMatchObject({ measured: null, isMet: null });
  expect(formatGoalTable(rows)).toContain('not measured');
});

it('a goal of one server is not measured by the row of another', () => {
  const goal = { ...most, server: 'waymark, unlike rules' };
  const [alike, unlike] = [
    serverResult({ ratioToNginx: 1 }),
    serverResult({ server: goal.server, ratioToNginx: 3 }),
  ];
  expect(compareWithGoals([goal], [alike])[0]).toMatchObject({ measured: null });
  expect(compareWithGoals([goal], [alike, unlike])[0]).toMatchObject({ measured: 3, isMet: false });
});

it('every goal is measured by a scenario that there is', () => {
  const names = new Set(SCENARIOS.map(({ name }) => name));
  expect(GOALS.filter(({ scenario }) => !names.has(scenario))).toEqual([]);
});
