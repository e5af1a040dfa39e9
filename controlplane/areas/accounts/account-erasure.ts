import { LRUCache } from 'lru-cache';
import type { AreaParts } from '../../area.js';
import { createBackgroundWork } from '../../jobs/background-work.js';
import { eraseSomeHistory } from '../history/public.js';
import { deletionRepository } from './deletion-repository.js';
import { cancelOfLeaver, type LeaverSubscriptions } from './leaver-subscriptions.js';

const ROUND_INTERVAL_MS = 60_000;
const ACCOUNTS_PER_ROUND = 20;
/** Maximum failed accounts that this process remembers, to try others first. */
const MAX_FAILED = 1_000;
/** Redirects per batch. The statistics rewrite their data for each batch. */
const REDIRECTS_AT_ONCE = 1_000;

export interface AccountErasureDeps extends Pick<AreaParts, 'database' | 'outbox' | 'logger'> {
  /** Deletes the statistics of redirects. Safe to repeat. */
  readonly eraseHits: (redirectIds: readonly string[]) => Promise<void>;
  readonly subscriptions: LeaverSubscriptions;
}

/**
 * Erases accounts whose grace period is over: first the subscription ends, then statistics and redirects are erased in
 * batches, and the user last. Also cancels the subscriptions of accounts that wait for their deletion, if the request
 * could not. Only one control plane at a time erases an account. A failed erasure continues in the next round, an
 * interrupted one when its claim ends. A round resolves to the number of erased accounts.
 */
export function createAccountErasure(deps: AccountErasureDeps) {
  const { database, outbox, eraseHits, subscriptions, logger } = deps;
  const failed = new LRUCache<string, true>({ max: MAX_FAILED });

  async function eraseRedirects(userId: string): Promise<void> {
    while (!work.isStopping()) {
      const ids = await deletionRepository.someRedirects(database, userId, REDIRECTS_AT_ONCE);
      if (ids.length === 0) return;
      await deletionRepository.renewClaim(database, userId);
      await eraseHits(ids);
      await outbox.commit(async (tx, record) => {
        for (const host of await deletionRepository.deleteRedirects(tx, ids)) record(host);
      });
    }
  }

  async function eraseHistory(userId: string): Promise<void> {
    while (!work.isStopping() && (await eraseSomeHistory(database, userId))) {
      await deletionRepository.renewClaim(database, userId);
    }
  }

  /** Resolves to whether the account is gone. */
  async function erase(userId: string): Promise<boolean> {
    try {
      await subscriptions.end(userId);
      await eraseRedirects(userId);
      await eraseHistory(userId);
      if (work.isStopping()) {
        await deletionRepository.releaseClaim(database, userId);
        return false;
      }
      await deletionRepository.deleteUser(database, userId);
      failed.delete(userId);
      logger.info({ user: userId }, 'account erased');
      return true;
    } catch (error) {
      failed.set(userId, true);
      await deletionRepository.releaseClaim(database, userId).catch(() => undefined);
      logger.warn({ err: error, user: userId }, 'an account could not be erased; trying again later');
      return false;
    }
  }

  async function cancelSubscriptions(): Promise<void> {
    for (const userId of await deletionRepository.cancelsDue(database, ACCOUNTS_PER_ROUND)) {
      if (work.isStopping()) return;
      try {
        await cancelOfLeaver(database, subscriptions, userId);
      } catch (error) {
        logger.warn(
          { err: error, user: userId },
          'a subscription could not be cancelled; trying again later',
        );
      }
    }
  }

  async function runRound(): Promise<number> {
    await cancelSubscriptions();
    let count = 0;
    const tried: string[] = [];
    while (tried.length < ACCOUNTS_PER_ROUND && !work.isStopping()) {
      const due = { last: [...failed.keys()], except: tried };
      const userId = await deletionRepository.claimDue(database, due);
      if (userId === undefined) break;
      tried.push(userId);
      if (await erase(userId)) count += 1;
    }
    return count;
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'accounts to erase could not be read; trying again later',
  });
  return work;
}
