import type { Plan } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { IntegratorEventData, IntegratorEventType } from '../webhooks/public.js';
import type { Subscription } from './subscription.js';
import { subscriptionRecord } from './subscription-record.js';
import { isRunning, type SubscriptionState } from './subscription-states.js';
import { transactionRecord } from './transaction-record.js';
import type { Transaction } from './transaction-repository.js';

/** Announces changes to a user's webhook endpoints, in the transaction of the change. */
export type EmitIntegratorEvent = (
  tx: Queryable,
  userId: string,
  type: IntegratorEventType,
  data: IntegratorEventData,
) => Promise<void>;

export interface SubscriptionChange {
  /** `undefined`: the subscription was not known before. */
  readonly before: SubscriptionState | undefined;
  readonly current: Subscription;
  readonly plan: Plan;
  readonly nowMs: number;
}

/**
 * Announces what a change of a subscription means. Each event is announced once per subscription, or once per
 * cancellation.
 */
export async function announceSubscription(
  tx: Queryable,
  emit: EmitIntegratorEvent,
  { before, current, plan, nowMs }: SubscriptionChange,
): Promise<void> {
  const data = { subscription: subscriptionRecord(current, plan, nowMs) };
  for (const type of meaningOf(before, current.state)) await emit(tx, current.userId, type, data);
}

function meaningOf(
  before: SubscriptionState | undefined,
  after: SubscriptionState,
): readonly IntegratorEventType[] {
  const hadBegun = before !== undefined && before !== 'incomplete';
  const types: IntegratorEventType[] = [];
  if (!hadBegun && isRunning(after)) types.push('subscription.confirmed');
  const isCanceled = after === 'canceled' || after === 'ended';
  if (isCanceled && before !== 'canceled' && before !== 'ended') types.push('subscription.canceled');
  if (after === 'revoked' && before !== 'revoked') types.push('subscription.revoked');
  return types;
}

/**
 * Announces that a checkout changed an existing subscription. A subscription that begins with its checkout is
 * announced when it begins, whichever event arrives first.
 */
export async function announceChange(
  tx: Queryable,
  emit: EmitIntegratorEvent,
  { current, plan, nowMs }: Omit<SubscriptionChange, 'before'>,
): Promise<void> {
  if (!isRunning(current.state)) return;
  const data = { subscription: subscriptionRecord(current, plan, nowMs) };
  await emit(tx, current.userId, 'subscription.confirmed', data);
}

/** Announces that a charge failed. */
export async function announceTransaction(
  tx: Queryable,
  emit: EmitIntegratorEvent,
  failed: Transaction,
  plan: Plan,
): Promise<void> {
  await emit(tx, failed.userId, 'payment.failed', { transaction: transactionRecord(failed, plan) });
}
