import type { Queryable } from '../../storage/postgres/database.js';
import { deletionRepository } from './deletion-repository.js';

/** Effects of the deletion of an account on the subscription of its owner. Each call to the payment provider is safe to repeat. */
export interface LeaverSubscriptions {
  /**
   * Returns the id of the user's subscription that would renew; undefined without one, or if the user has cancelled it.
   */
  renewing(source: Queryable, userId: string): Promise<string | undefined>;
  /** Cancels the subscription for the end of its period. The payment provider then makes no more charges. */
  cancel(userId: string): Promise<void>;
  /** Withdraws the cancellation. A subscription that has already ended stays ended. */
  resume(userId: string): Promise<void>;
  /** Ends the subscription immediately, if there is one. */
  end(userId: string): Promise<void>;
}

/**
 * Cancels the subscription of an account that waits for its erasure. If the deletion is withdrawn during the call,
 * withdraws the cancellation too.
 */
export async function cancelOfLeaver(
  database: Queryable,
  subscriptions: LeaverSubscriptions,
  userId: string,
): Promise<void> {
  await subscriptions.cancel(userId);
  if (!(await deletionRepository.cancelDone(database, userId))) await subscriptions.resume(userId);
}
