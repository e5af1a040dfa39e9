import { AppError } from '../../errors/app-error.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { LoginLimit } from './login-limit.js';
import type { PasswordHasher } from './password-hasher.js';
import { type Credentials, userRepository } from './user-repository.js';

/** Checks passwords, with a limit per account. */
export type PasswordCheck = ReturnType<typeof createPasswordCheck>;

export interface PasswordCheckDeps {
  readonly database: Queryable;
  readonly passwords: PasswordHasher;
  readonly loginLimit: LoginLimit;
}

export function createPasswordCheck({ database, passwords, loginLimit }: PasswordCheckDeps) {
  async function matches(found: Credentials | undefined, password: string): Promise<boolean> {
    if (await passwords.matches(password, found?.passwordHash)) return true;
    const trimmed = password.trim();
    if (trimmed === password) return false;
    // Spaces around old passwords do not count. A second hash is computed for all other addresses too, so the time
    // reveals nothing.
    return passwords.matches(trimmed, found?.isExact === false ? found.passwordHash : undefined);
  }

  return {
    /**
     * Resolves to the user of the address, if the password is right.
     *
     * @param email in its normal form
     * @param caller as `callerKey` returns it
     * @throws {AppError} INVALID_CREDENTIALS, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
     */
    async ofAddress(email: string, password: string, caller: string): Promise<Credentials> {
      await loginLimit.attempt(email, caller);
      const found = await userRepository.findCredentials(database, email);
      if (!(await matches(found, password)) || found === undefined) {
        throw new AppError('INVALID_CREDENTIALS', {
          message: 'There is no user with this e-mail address and password.',
        });
      }
      await loginLimit.succeed(email, caller);
      return found;
    },

    /**
     * Checks the password of a logged-in user.
     *
     * @param field member of the request that holds the password
     * @throws {AppError} as `ofAddress`, and VALIDATION_ERROR for a user without a password
     */
    async ofUser(id: string, password: string, field: string, caller: string): Promise<Credentials> {
      const found = await userRepository.findCredentialsById(database, id);
      const email = found?.user.email;
      if (found?.passwordHash === undefined || email == null) {
        throw new AppError('VALIDATION_ERROR', {
          field,
          message: `${field} cannot be checked: this account has no password.`,
        });
      }
      await loginLimit.attempt(email, caller);
      if (!(await matches(found, password))) {
        throw new AppError('INVALID_CREDENTIALS', { field, message: `${field} is not your password.` });
      }
      await loginLimit.succeed(email, caller);
      return found;
    },
  };
}
