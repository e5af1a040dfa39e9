import type { Plan } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { IntegratorEventData, IntegratorEventType } from '../webhooks/public.js';
import type { Subscription } from './subscription.js';
import { subscriptionRecord } from './subscription-record.js';
import { isRunning, type SubscriptionState } from './subscription-states.js';
import { transactionRecord } from './transaction-record.js';
import type { Transaction } from './transaction-repository.js';

/** Tells a user's endpoints, as part of the transaction in which it happened. */
export type EmitIntegratorEvent = (
  tx: Queryable,
  userId: string,
  type: IntegratorEventType,
  data: IntegratorEventData,
) => Promise<void>;

export interface SubscriptionChange {
  /** `undefined`: the subscription was not known. */
  readonly before: SubscriptionState | undefined;
  readonly current: Subscription;
  readonly plan: Plan;
  readonly nowMs: number;
}

/** Tells what a change of a subscription means, each thing once in its life or once each time it is cancelled. */
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
 * Tells that a checkout has changed a subscription that had begun before. One that begins with its checkout is told
 * of when it begins, whichever of the two is heard of first.
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

/** Tells that a charge has failed. */
export async function announceTransaction(
  tx: Queryable,
  emit: EmitIntegratorEvent,
  failed: Transaction,
  plan: Plan,
): Promise<void> {
  await emit(tx, failed.userId, 'payment.failed', { transaction: transactionRecord(failed, plan) });
}
