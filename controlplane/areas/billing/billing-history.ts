import type { Queryable } from '../../storage/postgres/database.js';
import { type Actor, recordAudit } from '../history/public.js';
import type { DisputeSnapshot, SubscriptionSnapshot, TransactionSnapshot } from './provider.js';

/**
 * Adds the change of a subscription to the audit log of its user. The provider makes the change, so the entry names
 * no person.
 */
export async function recordSubscription(
  tx: Queryable,
  before: Pick<SubscriptionSnapshot, 'state' | 'planId' | 'currentPeriodEnd'> | undefined,
  { id, userId, state, planId, currentPeriodEnd }: SubscriptionSnapshot,
): Promise<void> {
  const isSame =
    before?.state === state &&
    before.planId === planId &&
    before.currentPeriodEnd.getTime() === currentPeriodEnd.getTime();
  if (isSame) return;
  const from = before === undefined ? '' : `${before.planId} ${before.state} to `;
  const summary = `Subscription: ${from}${planId} ${state}, period until ${currentPeriodEnd.toISOString()}`;
  await recordAudit(tx, {
    userId,
    by: null,
    action: 'subscription.changed',
    resourceId: id,
    resourceName: planId,
    summary,
  });
}

/** Adds the change of a payment to the audit log of its user. */
export async function recordPayment(
  tx: Queryable,
  before: Pick<TransactionSnapshot, 'status' | 'refundedAmount'> | undefined,
  told: TransactionSnapshot,
): Promise<void> {
  const { userId, providerTransactionId: id, status, amount, currency, refundedAmount, planId } = told;
  if (before?.status === status && before.refundedAmount === refundedAmount) return;
  const refund = refundedAmount > 0 ? `, ${refundedAmount} refunded` : '';
  const summary = `Payment ${status}: ${amount} ${currency} in the smallest unit${refund}`;
  await recordAudit(tx, {
    userId,
    by: null,
    action: 'payment.changed',
    resourceId: id,
    resourceName: planId,
    summary,
  });
}

/** Adds the beginning or the end of a dispute to the audit log of its user. */
export async function recordDispute(tx: Queryable, dispute: DisputeSnapshot): Promise<void> {
  const { userId, providerTransactionId, status, amount, currency, reason } = dispute;
  await recordAudit(tx, {
    userId,
    by: null,
    action: 'payment.changed',
    resourceId: providerTransactionId,
    resourceName: null,
    summary: `Dispute ${status}: ${amount} ${currency} in the smallest unit, ${reason}`,
  });
}

/** Adds a user's request to the provider to the audit log. Its effect on the subscription has a separate entry. */
export async function recordRequest(
  source: Queryable,
  by: Actor,
  { id, planId }: Pick<SubscriptionSnapshot, 'id' | 'planId'>,
  summary: string,
): Promise<void> {
  await recordAudit(source, {
    userId: by.id,
    by,
    action: 'subscription.changed',
    resourceId: id,
    resourceName: planId,
    summary,
  });
}
