import { expect, test } from 'vitest';
import { assignmentArguments, parseAssignment } from './worker-assignment.js';

test.each([
  { number: 1, redirectPort: 8080, awaitFeedMs: 0, hasOwnApi: false },
  { number: 64, redirectPort: 65_535, awaitFeedMs: 20_000, hasOwnApi: true },
  { number: 2, redirectPort: 8080, tlsPort: 8443, awaitFeedMs: 0, hasOwnApi: false },
])('an assignment passes through the arguments of a process: %j', (assignment) => {
  expect(parseAssignment(assignmentArguments(assignment))).toEqual(assignment);
});

const valid = { number: 1, redirectPort: 8080, awaitFeedMs: 0 };
test.each([
  [],
  ...[{ number: 0 }, { redirectPort: 0 }, { awaitFeedMs: 'x' }].map((part) => [{ ...valid, ...part }]),
])('a worker that was started with %j refuses to run', (...assignments) => {
  expect(() => parseAssignment(assignments.map((one) => JSON.stringify(one)))).toThrow(
    'started by its supervisor',
  );
});
