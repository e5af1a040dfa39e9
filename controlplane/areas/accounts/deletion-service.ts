import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser, IsOperator } from '../../http/current-user.js';
import { recordAccount } from './account-audit.js';
import { ACCOUNT_MAILS } from './account-mails.js';
import type { ActiveTokens } from './active-tokens.js';
import { deletionRepository } from './deletion-repository.js';
import { cancelOfLeaver, type LeaverSubscriptions } from './leaver-subscriptions.js';
import type { MailLinks } from './mail-links.js';
import type { PasswordCheck } from './password-check.js';
import type { StandingPasses } from './standing-passes.js';
import { userRepository } from './user-repository.js';

const GRACE_DAYS = 7;

/**
 * Deletion of an account by its owner. Visitors get 410 immediately. The subscription is cancelled for the end of its
 * period. Everything is erased after seven days.
 */
export type DeletionService = ReturnType<typeof createDeletionService>;

export interface DeletionServiceDeps extends Pick<AreaParts, 'database' | 'outbox' | 'logger'> {
  readonly passwordCheck: PasswordCheck;
  readonly links: MailLinks;
  readonly activeTokens: ActiveTokens;
  readonly isOperator: IsOperator;
  readonly passes: StandingPasses;
  readonly subscriptions: LeaverSubscriptions;
}

export function createDeletionService(deps: DeletionServiceDeps) {
  const { database, outbox, passwordCheck, links, activeTokens, isOperator, passes, subscriptions, logger } =
    deps;

  async function requireConsent(user: CurrentUser, password: string | undefined, caller: string) {
    if (await isOperator(user)) {
      throw new AppError('VALIDATION_ERROR', {
        message: 'The operator of the installation cannot be deleted.',
      });
    }
    const found = await userRepository.findCredentialsById(database, user.id);
    if (found?.passwordHash === undefined) return;
    if (password === undefined) {
      throw new AppError('VALIDATION_ERROR', { field: 'password', message: 'password is required.' });
    }
    await passwordCheck.ofUser(user.id, password, 'password', caller);
  }

  /** Cancels at the payment provider. If that fails, the background work of the erasure tries again. */
  async function cancelSubscription(userId: string): Promise<void> {
    try {
      await cancelOfLeaver(database, subscriptions, userId);
    } catch (error) {
      logger.warn(
        { err: error, user: userId },
        'a subscription could not be cancelled; trying again shortly',
      );
    }
  }

  return {
    /**
     * Resolves to the time of the erasure.
     *
     * @param password required of users who have one
     * @param caller as `callerKey` returns it
     * @throws {AppError} VALIDATION_ERROR, INVALID_CREDENTIALS, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
     */
    async request(user: CurrentUser, password: string | undefined, caller: string): Promise<Date> {
      await requireConsent(user, password, caller);
      const { eraseAt, cancels } = await outbox.commit(async (tx, record) => {
        const subscription = await subscriptions.renewing(tx, user.id);
        const order = { userId: user.id, graceDays: GRACE_DAYS, subscription };
        const { eraseAt: at, isNew } = await deletionRepository.request(tx, order);
        if (!isNew) return { eraseAt: at, cancels: false };
        await passes.begin(tx, record, user.id);
        const summary = 'Asked for the deletion of the account';
        await recordAccount(tx, user, user, 'account.deletion_requested', summary);
        if (user.email !== null) await links.notify(tx, ACCOUNT_MAILS.deletionRequested(user.email, at));
        return { eraseAt: at, cancels: subscription !== undefined };
      });
      activeTokens.forgetAll();
      links.wake();
      await passes.publish(user.id);
      if (cancels) await cancelSubscription(user.id);
      return eraseAt;
    },

    /**
     * Also withdraws the cancellation of the subscription.
     *
     * @throws {AppError} NOT_FOUND without a pending deletion, SERVICE_UNAVAILABLE
     */
    async restore(user: CurrentUser): Promise<void> {
      const { id } = user;
      // The provider first: if it fails, nothing has changed, and the request can be repeated.
      const cancellation = await deletionRepository.cancellation(database, id);
      if (cancellation !== 'none') await subscriptions.resume(id);
      await outbox.commit(async (tx, record) => {
        if (!(await deletionRepository.takeBack(tx, id))) {
          throw new AppError('NOT_FOUND', { message: 'This account does not wait for its deletion.' });
        }
        await passes.begin(tx, record, id);
        await recordAccount(tx, user, user, 'account.restored', 'Took the deletion of the account back');
      });
      activeTokens.forgetAll();
      await passes.publish(id);
      // The background work may have cancelled the subscription before the deletion was withdrawn.
      if (cancellation === 'due') await subscriptions.resume(id);
    },
  };
}
