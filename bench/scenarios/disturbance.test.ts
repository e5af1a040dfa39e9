import { expect, it } from 'vitest';
import { requireNoFailure, summarizeDisturbance } from './disturbance.js';

function rounds(...p99s: number[]) {
  return p99s.map((p99Ms) => ({ completed: 100, failed: 0, requestsPerSecond: 100, p50Ms: 1, p99Ms }));
}

const quiet = { state: 'quiet', rounds: rounds(2, 20, 2) };

it('each disturbed round is compared with the quiet one of its time', () => {
  const [disturbed, before] = summarizeDisturbance(
    'updates',
    { state: 'busy', rounds: rounds(3, 20, 3) },
    quiet,
  );
  expect(disturbed).toMatchObject({ server: 'waymark', state: 'busy', p99Ms: 3, ratioToQuiet: 1.5 });
  expect(before).toMatchObject({ server: 'waymark, quiet', p99Ms: 2, ratioToQuiet: 1 });
});

it('one request without an answer fails the scenario', () => {
  const [round] = rounds(2);
  const rows = summarizeDisturbance('updates', { state: 'busy', rounds: [{ ...round!, failed: 1 }] }, quiet);
  expect(() => requireNoFailure('updates', rows)).toThrow('updates: 1 requests had no answer');
});
