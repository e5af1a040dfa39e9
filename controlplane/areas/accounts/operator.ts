import type { IsOperator } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import { DEFAULT_EMAIL } from './bootstrap.js';
import { normalizeEmail } from './user.js';
import { userRepository } from './user-repository.js';

/**
 * The operator is the first user, whom bootstrapping makes without a login. A password that the user sets later changes nothing.
 * The address alone is not enough: signup does not prove addresses, so anyone could register it first.
 */
export function createOperatorCheck(database: Database, bootstrapEmail: string | undefined): IsOperator {
  const operatorEmail = normalizeEmail(bootstrapEmail ?? DEFAULT_EMAIL);
  return async ({ id, email }) =>
    email === operatorEmail && (await userRepository.wasMadeWithoutLogin(database, id));
}
