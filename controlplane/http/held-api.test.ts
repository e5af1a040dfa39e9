import { expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { authenticateUnlessHeld } from './held-api.js';

const unknown = { refusal: new AppError('INVALID_TOKEN', { message: 'unknown' }) };

it.each([
  ['while all is well', undefined, 'INVALID_TOKEN'],
  ['while the database may be the wrong one', 'it is another one', 'SERVICE_UNAVAILABLE'],
])('an unknown token is answered by what is known: %s', async (_name, reason, code) => {
  const identity = await authenticateUnlessHeld(
    async () => unknown,
    () => reason,
  )('wm_unknown', '127.0.0.1');
  expect('refusal' in identity && identity.refusal.code).toBe(code);
});
