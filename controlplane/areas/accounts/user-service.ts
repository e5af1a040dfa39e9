import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors/app-error.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { Actor } from '../history/public.js';
import { recordAccount } from './account-audit.js';
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

/** Caller of a request without a user. */
export interface Caller {
  /** Key of the counted attempts. */
  readonly key: string;
  /** Address, for the audit log. */
  readonly address: string;
}

export function callerOf(request: Pick<FastifyRequest, 'callerKey' | 'callerAddress'>): Caller {
  return { key: request.callerKey, address: request.callerAddress };
}

export interface Session extends IssuedToken {
  readonly user: User;
}

/** Signs users up, logs them in, and returns their account. */
export type UserService = ReturnType<typeof createUserService>;

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

export function createUserService(deps: UserServiceDeps) {
  const { database, tokens, passwordCheck, passwords, links, afterAnswer, codes, signup } = deps;

  /** Returns whether a new account gets a mail. A caller with too many mails still gets the account. */
  async function mayGreet(email: string, caller: string): Promise<boolean> {
    try {
      return await links.mayMail(email, caller);
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  async function signUpAtOnce(email: string, password: string, caller: Caller): Promise<Session> {
    const mayMail = await mayGreet(email, caller.key);
    // Refuse known addresses first, because hashing is expensive. The insertion decides.
    if ((await userRepository.findByEmail(database, email)) !== undefined) throw emailTaken();
    const passwordHash = await passwords.hash(password);
    const user = await database.transaction(async (tx) => {
      const added = await userRepository.insert(tx, { id: newId(), email, passwordHash });
      if (added === undefined) throw emailTaken();
      await recordAccount(tx, added, actorOf(added, caller), 'account.created', 'Signed up');
      const link = { purpose: 'verify_email', userId: added.id, email } as const;
      if (mayMail) await links.send(tx, link, VERIFY_PATH, ACCOUNT_MAILS.verifyEmail);
      return added;
    });
    links.wake();
    return { user, ...(await tokens.openSession({ user, passwordHash }, 'Sign-up', caller.address)) };
  }

  /** Mails the link that creates the account, or informs the owner of a known address. */
  async function mailSignup(tx: Queryable, email: string, passwordHash: string): Promise<void> {
    const known = await userRepository.findCredentials(tx, email);
    if (known === undefined) {
      await links.send(tx, { purpose: 'signup', email, passwordHash }, VERIFY_PATH, ACCOUNT_MAILS.signup);
    } else if (known.passwordHash !== undefined) {
      const link = { purpose: 'reset_password', userId: known.user.id, email } as const;
      await links.send(tx, link, RESET_PATH, ACCOUNT_MAILS.knownAddress);
    }
  }

  /** Mails the link that proves the address of an account, or that creates one. */
  async function mailLinkAgain(tx: Queryable, email: string): Promise<void> {
    const known = await userRepository.findCredentials(tx, email);
    if (known?.user.isEmailVerified) return;
    if (known !== undefined) {
      const link = { purpose: 'verify_email', userId: known.user.id, email } as const;
      return links.send(tx, link, VERIFY_PATH, ACCOUNT_MAILS.verifyEmail);
    }
    const waiting = await accountLinks.waitingSignup(tx, email);
    if (waiting !== undefined) await links.send(tx, waiting, VERIFY_PATH, ACCOUNT_MAILS.signup);
  }

  async function logIn({ email, password }: Login, { key }: Caller): Promise<Credentials> {
    const found = await passwordCheck.ofAddress(normalizeEmail(email), password, key);
    if (found.user.isSuspended) throw accountSuspended();
    return found;
  }

  async function confirmEmail(token: string, caller: Caller): Promise<Credentials> {
    const found = await database.transaction(async (tx) => {
      const link = await accountLinks.take(tx, token, ['signup', 'verify_email']);
      if (link === undefined) throw invalidLink();
      const { userId, email, passwordHash } = link;
      if (userId !== null) {
        await userRepository.markEmailVerified(tx, userId);
        const known = await userRepository.findCredentialsById(tx, userId);
        const summary = 'Confirmed the e-mail address';
        if (known)
          await recordAccount(tx, known.user, actorOf(known.user, caller), 'account.email_verified', summary);
        return known;
      }
      const added = { id: newId(), email, isEmailVerified: true };
      const inserted = await userRepository.insert(
        tx,
        passwordHash === null ? added : { ...added, passwordHash },
      );
      if (inserted)
        await recordAccount(tx, inserted, actorOf(inserted, caller), 'account.created', 'Signed up');
      return inserted && { user: inserted, passwordHash: passwordHash ?? undefined, isExact: true };
    });
    // Another link has already created the account, or it was deleted.
    if (found === undefined) throw invalidLink();
    if (found.user.isSuspended) throw accountSuspended();
    return found;
  }

  /**
   * Opens a browser session for a user whose request is authenticated.
   *
   * @throws {AppError} FORBIDDEN for users who log in with a JWT, because the issuer can remove them at any time
   */
  async function openForUser(userId: string, { address }: Caller, userAgent: string): Promise<Session> {
    const found = await userRepository.findCredentialsById(database, userId);
    if (found === undefined) throw userRemoved();
    if (found.user.isSuspended) throw accountSuspended();
    if (await userRepository.isExternal(database, userId)) {
      throw new AppError('FORBIDDEN', { message: 'Users who log in with a JWT have no browser session.' });
    }
    return { user: found.user, ...(await tokens.openCookieSession(found, userAgent, address)) };
  }

  return {
    openForUser,
    /**
     * Opens the session of a browser with a one-time code.
     *
     * @throws {AppError} VALIDATION_ERROR, ACCOUNT_SUSPENDED
     */
    openWithCode: (code: string, caller: Caller, userAgent: string): Promise<Session> =>
      openForUser(codes.take(code), caller, userAgent),

    /**
     * Resolves to undefined if opening a mailed link creates the account. The result then does not depend on the
     * address.
     *
     * @throws {AppError} SIGNUP_CLOSED, SERVICE_UNAVAILABLE, RATE_LIMIT_EXCEEDED, VALIDATION_ERROR when the address is
     * taken
     */
    async signUp(input: Signup, caller: Caller): Promise<Session | undefined> {
      if (signup === 'closed') {
        throw new AppError('SIGNUP_CLOSED', {
          message: 'This installation takes no new users. Ask whoever runs it for a token.',
        });
      }
      const email = normalizeEmail(input.email);
      if (signup === 'open') return signUpAtOnce(email, input.password, caller);
      const mayMail = await links.mayMail(email, caller.key);
      const passwordHash = await passwords.hash(input.password);
      if (mayMail) {
        afterAnswer.run('a mail about a signup', async () => {
          await database.transaction((tx) => mailSignup(tx, email, passwordHash));
          links.wake();
        });
      }
      return undefined;
    },

    /**
     * Mails the link of `signUp` again if the address has not opened it. The answer does not depend on the address.
     *
     * @throws {AppError} RATE_LIMIT_EXCEEDED for the caller
     */
    async resendLink(input: string, caller: Caller): Promise<void> {
      const email = normalizeEmail(input);
      if (!(await links.mayMail(email, caller.key))) return;
      afterAnswer.run('a mail with the link of a signup', async () => {
        await database.transaction((tx) => mailLinkAgain(tx, email));
        links.wake();
      });
    },

    /**
     * Consumes the link of a mail: creates the account, or marks its address as proved.
     *
     * @throws {AppError} VALIDATION_ERROR
     */
    async verifyEmail(token: string, caller: Caller): Promise<Session> {
      const found = await confirmEmail(token, caller);
      const name = 'Confirmed e-mail address';
      return { user: found.user, ...(await tokens.openSession(found, name, caller.address)) };
    },

    /** Does the same as `verifyEmail`, without a log-in. */
    confirmEmail: async (token: string, caller: Caller): Promise<User> =>
      (await confirmEmail(token, caller)).user,

    /**
     * @throws {AppError} INVALID_CREDENTIALS, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE, ACCOUNT_SUSPENDED
     */
    async logIn(input: Login, caller: Caller): Promise<Session> {
      const found = await logIn(input, caller);
      return { user: found.user, ...(await tokens.openSession(found, 'Log-in', caller.address)) };
    },

    /** Does the same as `logIn`, for the cookie of a browser. */
    async logInBrowser(input: Login, caller: Caller, userAgent: string): Promise<Session> {
      const found = await logIn(input, caller);
      return { user: found.user, ...(await tokens.openCookieSession(found, userAgent, caller.address)) };
    },

    /** @throws {AppError} NOT_FOUND when the user was removed during the request */
    async account(userId: string): Promise<User> {
      const user = await userRepository.findById(database, userId);
      if (user === undefined) throw userRemoved();
      return user;
    },
  };
}

/** Returns the user as the actor of a change without a log-in. */
function actorOf({ id, email }: User, { address }: Caller): Actor {
  return { id, email, address };
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
