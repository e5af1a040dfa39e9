import type { IsOperator } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import { DEFAULT_EMAIL } from './bootstrap.js';
import { normalizeEmail } from './user.js';
import { userRepository } from './user-repository.js';

/**
 * The operator is the first user, as bootstrapping makes it. The address alone does not make one: addresses are
 * not proved at signup, so that anyone could take it before the operator does.
 */
export function createOperatorCheck(database: Database, bootstrapEmail: string | undefined): IsOperator {
  const operatorEmail = normalizeEmail(bootstrapEmail ?? DEFAULT_EMAIL);
  return async ({ id, email }) =>
    email === operatorEmail && (await userRepository.isWithoutLogin(database, id));
}
