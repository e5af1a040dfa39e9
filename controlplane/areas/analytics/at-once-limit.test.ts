import { expect, it } from 'vitest';
import { createAtOnceLimit } from './at-once-limit.js';

const LIMIT = { what: 'exports', maxOfUser: 2, maxOfAll: 3, retryAfterSeconds: 5 };

it('a user has the maximum under way at a time, and others have theirs', () => {
  const limit = createAtOnceLimit(LIMIT);
  const first = limit.enter('a');
  limit.enter('a');
  expect(() => limit.enter('a')).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'You have 2 exports under way, and 2 at a time are the limit. Retry in 5 s.',
      retryAfterSeconds: 5,
    }),
  );
  limit.enter('b');
  first();
  // Ended work is not counted down again.
  first();
  limit.enter('a');
  expect(() => limit.enter('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' }));
});

it('all users together have a maximum too', () => {
  const limit = createAtOnceLimit(LIMIT);
  const [end = () => {}] = ['a', 'b', 'c'].map((user) => limit.enter(user));
  expect(() => limit.enter('d')).toThrow(
    expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 }),
  );
  end();
  limit.enter('d');
});
