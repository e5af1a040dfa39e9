import { expect, it } from 'vitest';
import { serverResult } from '../report/results.fixture.js';
import { emptyRow } from '../scenarios/results.js';
import { storedRow } from './stored-run.js';

it('keeps the numbers of a row, without single rounds and unknown values', () => {
  const row = storedRow(serverResult({ cpuUsPerRequest: 9.876543, ratioToNginx: Number.NaN }));
  expect(row).toMatchObject({ scenario: 'plain', server: 'waymark', figures: { cpuUsPerRequest: 9.8765 } });
  expect(row.figures).not.toHaveProperty('ratioToNginx');
  expect(row.figures).not.toHaveProperty('rounds');
});

it('names the endpoints of statistics', () => {
  const row = {
    ...emptyRow('analytics'),
    endpoint: 'stats/geo',
    cpuMs: 1,
    p95Ms: 2,
    goalMs: 3,
    hitsOfRedirect: 4,
    hits: 5,
  };
  expect(storedRow(row).server).toBe('stats/geo');
});
