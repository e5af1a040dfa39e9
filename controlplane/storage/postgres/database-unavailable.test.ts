import { expect, it } from 'vitest';
import { asDatabaseError, DatabaseUnavailableError } from './database-unavailable.js';

it('a statement whose answer the driver no longer waits for makes the database unavailable', () => {
  expect(asDatabaseError(new Error('Query read timeout'))).toBeInstanceOf(DatabaseUnavailableError);
});

it('an error of a statement is no sign of that', () => {
  const error = Object.assign(new Error('duplicate key'), { code: '23505' });
  expect(asDatabaseError(error)).toBe(error);
});
