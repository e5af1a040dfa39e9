import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { recordAccount } from './account-audit.js';
import { accountLinks } from './account-link.js';
import { ACCOUNT_MAILS } from './account-mails.js';
import type { ActiveTokens } from './active-tokens.js';
import type { AfterAnswer } from './after-answer.js';
import { invalidLink, type MailLinks } from './mail-links.js';
import type { PasswordCheck } from './password-check.js';
import type { PasswordHasher } from './password-hasher.js';
import { tokenRepository } from './token-repository.js';
import { normalizeEmail } from './user.js';
import { userRepository } from './user-repository.js';
import { RESET_PATH } from './user-service.js';

/** Sets, changes and resets passwords. Each operation ends the other sessions of the user. */
export type PasswordService = ReturnType<typeof createPasswordService>;

export interface PasswordServiceDeps {
  readonly database: Database;
  readonly activeTokens: ActiveTokens;
  readonly passwordCheck: PasswordCheck;
  readonly passwords: PasswordHasher;
  readonly links: MailLinks;
  readonly afterAnswer: AfterAnswer;
}

export function createPasswordService(deps: PasswordServiceDeps) {
  const { database, activeTokens, passwordCheck, passwords, links, afterAnswer } = deps;

  /** Replaces the password, and ends the links and the sessions of the user. Resolves to the hashes of the sessions. */
  async function replace(tx: Queryable, userId: string, passwordHash: string, keptSession?: string) {
    await userRepository.setPassword(tx, userId, passwordHash);
    return endAccess(tx, userId, keptSession);
  }

  async function endAccess(tx: Queryable, userId: string, keptSession?: string) {
    await accountLinks.deleteOfUser(tx, userId);
    return tokenRepository.deleteSessions(tx, userId, keptSession);
  }

  function finish(endedSessions: readonly Buffer[]): void {
    for (const hash of endedSessions) activeTokens.forget(hash);
    links.wake();
  }

  async function mailReset(email: string): Promise<void> {
    const found = await userRepository.findCredentials(database, email);
    // Users without a password log in at another system, or not at all. A mail must not change that.
    if (found?.passwordHash === undefined) return;
    const link = { purpose: 'reset_password', userId: found.user.id, email } as const;
    await database.transaction((tx) => links.send(tx, link, RESET_PATH, ACCOUNT_MAILS.resetPassword));
    links.wake();
  }

  async function requireNone(userId: string): Promise<void> {
    const user = await userRepository.findById(database, userId);
    if (user?.hasPassword) throw hasPassword();
    if (await userRepository.isExternal(database, userId)) {
      throw new AppError('FORBIDDEN', { message: 'Users who log in with a JWT have no password.' });
    }
  }

  return {
    /** Gives a password to a user who has none. @throws {AppError} FORBIDDEN, VALIDATION_ERROR, SERVICE_UNAVAILABLE */
    async setFirst(user: CurrentUser, newPassword: string): Promise<void> {
      // Check first, because hashing is expensive. The update below decides.
      await requireNone(user.id);
      const passwordHash = await passwords.hash(newPassword);
      const ended = await database.transaction(async (tx) => {
        if (!(await userRepository.setFirstPassword(tx, user.id, passwordHash))) throw hasPassword();
        const sessions = await endAccess(tx, user.id, user.tokenId);
        await recordAccount(tx, user, user, 'account.password_changed', 'Set the first password');
        if (user.email !== null) await links.notify(tx, ACCOUNT_MAILS.passwordChanged(user.email));
        return sessions;
      });
      finish(ended);
    },

    /**
     * @param caller as `callerKey` returns it
     * @throws {AppError} INVALID_CREDENTIALS, VALIDATION_ERROR, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
     */
    async change(
      user: CurrentUser,
      { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
      caller: string,
    ): Promise<void> {
      const found = await passwordCheck.ofUser(user.id, currentPassword, 'currentPassword', caller);
      const passwordHash = await passwords.hash(newPassword);
      const ended = await database.transaction(async (tx) => {
        const sessions = await replace(tx, user.id, passwordHash, user.tokenId);
        await recordAccount(tx, user, user, 'account.password_changed', 'Changed the password');
        if (found.user.email !== null) {
          await links.notify(tx, ACCOUNT_MAILS.passwordChanged(found.user.email));
        }
        return sessions;
      });
      finish(ended);
    },

    /** Mails a link if a user with a password has the address. @throws {AppError} RATE_LIMIT_EXCEEDED */
    async forgot(input: string, caller: string): Promise<void> {
      const email = normalizeEmail(input);
      if (await links.mayMail(email, caller)) {
        afterAnswer.run('a mail about a forgotten password', () => mailReset(email));
      }
    },

    /** @throws {AppError} VALIDATION_ERROR when the link is invalid or used, SERVICE_UNAVAILABLE */
    async reset(
      { token, newPassword }: { readonly token: string; readonly newPassword: string },
      address: string,
    ): Promise<void> {
      // Check the link first, because hashing is expensive.
      if (!(await accountLinks.isValid(database, token, ['reset_password']))) throw invalidLink();
      const passwordHash = await passwords.hash(newPassword);
      const ended = await database.transaction(async (tx) => {
        const link = await accountLinks.take(tx, token, ['reset_password']);
        if (link?.userId == null) throw invalidLink();
        const sessions = await replace(tx, link.userId, passwordHash);
        await userRepository.markEmailVerified(tx, link.userId);
        const by = { id: link.userId, email: link.email, address };
        await recordAccount(tx, by, by, 'account.password_changed', 'Replaced the forgotten password');
        await links.notify(tx, ACCOUNT_MAILS.passwordChanged(link.email));
        return sessions;
      });
      finish(ended);
    },
  };
}

function hasPassword(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'newPassword',
    message: 'This account has a password. Change it with POST /auth/password/change.',
  });
}
