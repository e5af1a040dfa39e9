import type { Database } from '../database/database.js';
import { newId } from '../database/new-id.js';
import { AppError } from '../errors/app-error.js';
import type { LoginLimit } from './login-limit.js';
import type { PasswordHasher } from './password-hasher.js';
import type { IssuedToken, TokenService } from './token-service.js';
import { normalizeEmail, type User } from './user.js';
import { userRepository } from './user-repository.js';
import type { Login, Signup } from './user-schema.js';

export interface Session extends IssuedToken {
  readonly user: User;
}

/** Signing up, logging in, and what users see of their account. */
export interface UserService {
  /** @throws {AppError} SIGNUP_CLOSED, VALIDATION_ERROR when the address is taken, SERVICE_UNAVAILABLE */
  signUp(input: Signup): Promise<Session>;
  /**
   * @param caller as `callerKey` names it
   * @throws {AppError} INVALID_CREDENTIALS, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
   */
  logIn(input: Login, caller: string): Promise<Session>;
  /** @throws {AppError} NOT_FOUND when the user was removed meanwhile */
  account(userId: string): Promise<User>;
}

export interface UserServiceDeps {
  readonly database: Database;
  readonly tokens: TokenService;
  readonly passwords: PasswordHasher;
  readonly loginLimit: LoginLimit;
  readonly signup: 'open' | 'closed';
}

export function createUserService(deps: UserServiceDeps): UserService {
  const { database, tokens, passwords, loginLimit, signup } = deps;
  return {
    async signUp(input) {
      if (signup === 'closed') {
        throw new AppError('SIGNUP_CLOSED', {
          message: 'This installation takes no new users. Ask whoever runs it for a token.',
        });
      }
      const email = normalizeEmail(input.email);
      // Asked before the password is hashed, which is the dear part; the insertion decides.
      if ((await userRepository.findByEmail(database, email)) !== undefined) throw emailTaken();
      const passwordHash = await passwords.hash(input.password);
      const user = await userRepository.insert(database, { id: newId(), email, passwordHash });
      if (user === undefined) throw emailTaken();
      return { user, ...(await tokens.openSession(user.id, 'Sign-up')) };
    },

    async logIn(input, caller) {
      const email = normalizeEmail(input.email);
      await loginLimit.attempt(email, caller);
      const found = await userRepository.findCredentials(database, email);
      const matches = await passwords.matches(input.password, found?.passwordHash);
      if (found === undefined || !matches) {
        throw new AppError('INVALID_CREDENTIALS', {
          message: 'There is no user with this e-mail address and password.',
        });
      }
      await loginLimit.succeed(email, caller);
      return { user: found.user, ...(await tokens.openSession(found.user.id, 'Log-in')) };
    },

    async account(userId) {
      const user = await userRepository.findById(database, userId);
      if (user === undefined) throw new AppError('NOT_FOUND', { message: 'This user has been removed.' });
      return user;
    },
  };
}

function emailTaken(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'email',
    message: 'email is the address of a user already; log in instead.',
  });
}
