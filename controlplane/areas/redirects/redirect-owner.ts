import { AppError } from '../../errors/app-error.js';
import type { Redirect } from './redirect.js';

/**
 * Checks ownership. All checks of ownership are here.
 *
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export function requireOwner(redirect: Redirect | undefined, userId: string): Redirect {
  if (redirect === undefined) {
    throw new AppError('NOT_FOUND', { message: 'There is no redirect with this id.' });
  }
  if (redirect.userId !== userId) {
    throw new AppError('FORBIDDEN', { message: 'This redirect belongs to someone else.' });
  }
  return redirect;
}
