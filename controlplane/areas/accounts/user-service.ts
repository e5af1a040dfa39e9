import { AppError } from '../../errors/app-error.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { accountLinks } from './account-link.js';
import { ACCOUNT_MAILS } from './account-mails.js';
import type { AfterAnswer } from './after-answer.js';
import { invalidLink, type MailLinks } from './mail-links.js';
import type { PasswordCheck } from './password-check.js';
import type { PasswordHasher } from './password-hasher.js';
import type { SignInCodes } from './sign-in-codes.js';
import type { IssuedToken, TokenService } from './token-service.js';
import { accountSuspended, normalizeEmail, type User } from './user.js';
import { type Credentials, userRepository } from './user-repository.js';
import type { Login, Signup } from './user-schema.js';

export const VERIFY_PATH = '/auth/email/verify';
export const RESET_PATH = '/auth/password/reset';

export interface Session extends IssuedToken {
  readonly user: User;
}

/** Signing up, logging in, and what users see of their account. */
export interface UserService {
  /**
   * Resolves to undefined where the account begins with the link of a mail. Then the address makes no difference.
   *
   * @param caller as `callerKey` names it
   * @throws {AppError} SIGNUP_CLOSED, SERVICE_UNAVAILABLE, RATE_LIMIT_EXCEEDED, VALIDATION_ERROR when the address is taken
   */
  signUp(input: Signup, caller: string): Promise<Session | undefined>;
  /** Uses the link of a mail: creates the account, or notes that its address is proved. @throws {AppError} VALIDATION_ERROR */
  verifyEmail(token: string): Promise<Session>;
  /** Does what `verifyEmail` does, without a log-in. */
  confirmEmail(token: string): Promise<User>;
  /**
   * @param caller as `callerKey` names it
   * @throws {AppError} INVALID_CREDENTIALS, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE, ACCOUNT_SUSPENDED
   */
  logIn(input: Login, caller: string): Promise<Session>;
  /** Does what `logIn` does, for the cookie of a browser. */
  logInBrowser(input: Login, caller: string, userAgent: string): Promise<Session>;
  /**
   * Opens the session of a browser with a one-time code.
   *
   * @throws {AppError} VALIDATION_ERROR, ACCOUNT_SUSPENDED
   */
  openWithCode(code: string, userAgent: string): Promise<Session>;
  /**
   * Opens the session of a browser for a user whose request is authenticated.
   *
   * @throws {AppError} FORBIDDEN for users who log in with a JWT, whose issuer can remove them at any time
   */
  openForUser(userId: string, userAgent: string): Promise<Session>;
  /** @throws {AppError} NOT_FOUND when the user was removed meanwhile */
  account(userId: string): Promise<User>;
}

export interface UserServiceDeps {
  readonly database: Database;
  readonly tokens: TokenService;
  readonly passwordCheck: PasswordCheck;
  /** Hashes the passwords of new users. */
  readonly passwords: PasswordHasher;
  readonly links: MailLinks;
  readonly afterAnswer: AfterAnswer;
  readonly codes: SignInCodes;
  readonly signup: 'open' | 'verified' | 'closed';
}

export function createUserService(deps: UserServiceDeps): UserService {
  const { database, tokens, passwordCheck, passwords, links, afterAnswer, codes, signup } = deps;

  /** Returns whether a new account is sent a mail. A caller with too many mails still gets the account. */
  async function mayGreet(email: string, caller: string): Promise<boolean> {
    try {
      return await links.mayMail(email, caller);
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  async function signUpAtOnce(email: string, password: string, caller: string): Promise<Session> {
    const mayMail = await mayGreet(email, caller);
    // Hashing is expensive, so known addresses are refused first. The insertion decides.
    if ((await userRepository.findByEmail(database, email)) !== undefined) throw emailTaken();
    const passwordHash = await passwords.hash(password);
    const user = await database.transaction(async (tx) => {
      const added = await userRepository.insert(tx, { id: newId(), email, passwordHash });
      if (added === undefined) throw emailTaken();
      const link = { purpose: 'verify_email', userId: added.id, email } as const;
      if (mayMail) await links.send(tx, link, VERIFY_PATH, ACCOUNT_MAILS.verifyEmail);
      return added;
    });
    links.wake();
    return { user, ...(await tokens.openSession({ user, passwordHash }, 'Sign-up')) };
  }

  /** Mails the link that creates the account, or tells the owner of a known address that there is one. */
  async function mailSignup(tx: Queryable, email: string, passwordHash: string): Promise<void> {
    const known = await userRepository.findCredentials(tx, email);
    if (known === undefined) {
      await links.send(tx, { purpose: 'signup', email, passwordHash }, VERIFY_PATH, ACCOUNT_MAILS.signup);
    } else if (known.passwordHash !== undefined) {
      const link = { purpose: 'reset_password', userId: known.user.id, email } as const;
      await links.send(tx, link, RESET_PATH, ACCOUNT_MAILS.knownAddress);
    }
  }

  async function logIn({ email, password }: Login, caller: string): Promise<Credentials> {
    const found = await passwordCheck.ofAddress(normalizeEmail(email), password, caller);
    if (found.user.isSuspended) throw accountSuspended();
    return found;
  }

  async function confirmEmail(token: string): Promise<Credentials> {
    const found = await database.transaction(async (tx) => {
      const link = await accountLinks.take(tx, token, ['signup', 'verify_email']);
      if (link === undefined) throw invalidLink();
      const { userId, email, passwordHash } = link;
      if (userId !== undefined) {
        await userRepository.markEmailVerified(tx, userId);
        return userRepository.findCredentialsById(tx, userId);
      }
      const added = { id: newId(), email, isEmailVerified: true };
      const inserted = await userRepository.insert(
        tx,
        passwordHash === undefined ? added : { ...added, passwordHash },
      );
      return inserted && { user: inserted, passwordHash, isExact: true };
    });
    // Another link has created the account meanwhile, or it was deleted.
    if (found === undefined) throw invalidLink();
    if (found.user.isSuspended) throw accountSuspended();
    return found;
  }

  async function openForUser(userId: string, userAgent: string): Promise<Session> {
    const found = await userRepository.findCredentialsById(database, userId);
    if (found === undefined) throw userRemoved();
    if (found.user.isSuspended) throw accountSuspended();
    if (await userRepository.isExternal(database, userId)) {
      throw new AppError('FORBIDDEN', { message: 'Users who log in with a JWT have no browser session.' });
    }
    return { user: found.user, ...(await tokens.openCookieSession(found, userAgent)) };
  }

  return {
    openForUser,
    openWithCode: (code, userAgent) => openForUser(codes.take(code), userAgent),

    async signUp(input, caller) {
      if (signup === 'closed') {
        throw new AppError('SIGNUP_CLOSED', {
          message: 'This installation takes no new users. Ask whoever runs it for a token.',
        });
      }
      const email = normalizeEmail(input.email);
      if (signup === 'open') return signUpAtOnce(email, input.password, caller);
      const mayMail = await links.mayMail(email, caller);
      const passwordHash = await passwords.hash(input.password);
      if (mayMail) {
        afterAnswer.run('a mail about a signup', async () => {
          await database.transaction((tx) => mailSignup(tx, email, passwordHash));
          links.wake();
        });
      }
      return undefined;
    },

    async verifyEmail(token) {
      const found = await confirmEmail(token);
      return { user: found.user, ...(await tokens.openSession(found, 'Confirmed e-mail address')) };
    },

    confirmEmail: async (token) => (await confirmEmail(token)).user,

    async logIn(input, caller) {
      const found = await logIn(input, caller);
      return { user: found.user, ...(await tokens.openSession(found, 'Log-in')) };
    },

    async logInBrowser(input, caller, userAgent) {
      const found = await logIn(input, caller);
      return { user: found.user, ...(await tokens.openCookieSession(found, userAgent)) };
    },

    async account(userId) {
      const user = await userRepository.findById(database, userId);
      if (user === undefined) throw userRemoved();
      return user;
    },
  };
}

function userRemoved(): AppError {
  return new AppError('NOT_FOUND', { message: 'This user has been removed.' });
}

function emailTaken(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'email',
    message: 'email is the address of a user already; log in instead.',
  });
}
