import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { changePlan, endExcess } from '../plans/public.js';
import type { IntegratorEventType } from '../webhooks/public.js';
import { billingEventRepository, type EventOutcome, lockKnownUser } from './billing-event-repository.js';
import { recordDispute, recordPayment, recordSubscription } from './billing-history.js';
import type { AppliedAs, BillingEvents, BillingParts } from './billing-parts.js';
import {
  CHECKOUT_STEPS,
  DISPUTE_STEPS,
  isRunning,
  type Report,
  SUBSCRIPTION_PROGRESS,
  SUBSCRIPTION_STEPS,
  type SubscriptionState,
  supersedes,
  TRANSACTION_STEPS,
} from './billing-states.js';
import { checkoutRepository } from './checkout-repository.js';
import { disputeRepository, type KnownDispute } from './dispute-repository.js';
import { withGraceFromFirstFailure } from './grace-from-first-failure.js';
import type { BillingEvent, DisputeSnapshot, TransactionSnapshot } from './provider.js';
import { accessEnd } from './subscription.js';
import { subscriptionRecord } from './subscription-record.js';
import { type StoredSubscription, subscriptionRepository } from './subscription-repository.js';
import { transactionRecord } from './transaction-record.js';
import { type StoredTransaction, transactionRepository } from './transaction-repository.js';

type BillingEventsDeps = Pick<BillingParts, 'outbox' | 'catalogue' | 'access' | 'emit' | 'nowMs'>;

/** The transaction in which an event is applied. */
interface Applying extends BillingEventsDeps {
  readonly tx: Queryable;
  readonly record: RecordChange;
}

type EventAbout<Subject extends BillingEvent['about']> = Extract<BillingEvent, { readonly about: Subject }>;

export function createBillingEvents(deps: BillingEventsDeps): BillingEvents {
  const { outbox, access } = deps;

  return {
    async apply(...events) {
      const outcomes: AppliedAs[] = [];
      for (const event of events) {
        outcomes.push(await outbox.commit((tx, record) => applyOnce({ ...deps, tx, record }, event)));
        if (event.about === 'subscription') access.forget(event.subscription.userId);
        if (event.about === 'transaction') access.forget(event.transaction.userId);
      }
      return outcomes;
    },

    async applyDecision(userId, decide) {
      const outcomes = await outbox.commit(async (tx, record) => {
        await billingEventRepository.lockUser(tx, userId);
        const applied: AppliedAs[] = [];
        for (const event of await decide(tx)) applied.push(await applyOnce({ ...deps, tx, record }, event));
        return applied;
      });
      access.forget(userId);
      return outcomes;
    },
  };
}

async function applyOnce(applying: Applying, event: BillingEvent): Promise<AppliedAs> {
  if (!(await billingEventRepository.insert(applying.tx, event))) return 'duplicate';
  const outcome = await applyNew(applying, event);
  if (outcome !== 'applied') await billingEventRepository.setOutcome(applying.tx, event, outcome);
  return outcome;
}

/** Stores the reported state of an object, unless the stored state is later. Announces the effect to integrators. */
function applyNew(applying: Applying, event: BillingEvent): Promise<EventOutcome> {
  switch (event.about) {
    case 'subscription':
      return applySubscription(applying, event);
    case 'transaction':
      return applyTransaction(applying, event);
    case 'checkout':
      return applyCheckout(applying, event);
    case 'dispute':
      return applyDispute(applying, event);
  }
}

async function applySubscription(
  { tx, record, catalogue, access, emit, nowMs }: Applying,
  { provider, occurredAt, id: eventId, subscription: told }: EventAbout<'subscription'>,
): Promise<EventOutcome> {
  const { userId } = told;
  if (!(await lockKnownUser(tx, userId))) return 'unknown';
  const known = await subscriptionRepository.findById(tx, told.id);
  const reported = { ...told, provider, occurredAt, eventId };
  if (!supersedes(known && subscriptionReport(known), subscriptionReport(reported))) return 'late';
  const owed = await withGraceFromFirstFailure(tx, provider, reported);
  const plan = catalogue.get(owed.planId);
  const current = { ...owed, reportedPastDueSince: told.pastDueSince, accessUntil: accessEnd(owed, plan) };
  await changePlan(tx, record, { access, userId }, () => subscriptionRepository.save(tx, current));
  await recordSubscription(tx, known, told);
  const data = { subscription: subscriptionRecord(current, plan, nowMs()) };
  for (const type of announcementsOf(known?.state, current.state)) await emit(tx, userId, type, data);
  return 'applied';
}

type ReportedSubscription = Pick<StoredSubscription, 'state' | 'currentPeriodEnd' | 'occurredAt' | 'eventId'>;

function subscriptionReport({ state, currentPeriodEnd, ...report }: ReportedSubscription): Report {
  const progress = [currentPeriodEnd.getTime(), SUBSCRIPTION_PROGRESS[state]];
  return { ...report, step: SUBSCRIPTION_STEPS[state], progress };
}

/**
 * Returns the announcements for a change of a subscription. Each is sent once per subscription, or once per
 * cancellation.
 *
 * @param before `undefined`: the subscription was not known
 */
function announcementsOf(
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

async function applyTransaction(
  applying: Applying,
  { provider, occurredAt, id: eventId, transaction: told }: EventAbout<'transaction'>,
): Promise<EventOutcome> {
  const { tx, record, catalogue, access, emit } = applying;
  const { userId, providerTransactionId, status } = told;
  if (!(await lockKnownUser(tx, userId))) return 'unknown';
  const known = await transactionRepository.find(tx, provider, providerTransactionId);
  const reported = { ...told, provider, occurredAt, eventId };
  if (!supersedes(known && transactionReport(known), transactionReport(reported))) return 'late';
  await transactionRepository.save(tx, reported);
  await recordPayment(tx, known, told);
  await applyGrace(applying, told);
  if (status === 'succeeded') await endExcess(tx, record, { access, userId });
  if (status === 'failed' && known?.status !== 'failed') {
    const saved = await transactionRepository.find(tx, provider, providerTransactionId);
    const plan = catalogue.get(told.planId);
    if (saved !== undefined) {
      await emit(tx, userId, 'payment.failed', { transaction: transactionRecord(saved, plan) });
    }
  }
  return 'applied';
}

function transactionReport(transaction: Omit<StoredTransaction, 'id'>): Report {
  const { status, refundedAmount, occurredAt, eventId } = transaction;
  return { step: TRANSACTION_STEPS[status], occurredAt, progress: [refundedAmount], eventId };
}

/** The grace period may begin with a charge that is reported after its subscription. */
async function applyGrace(
  { tx, record, catalogue, access }: Applying,
  { subscriptionId, userId }: TransactionSnapshot,
): Promise<void> {
  const known = await subscriptionRepository.findById(tx, subscriptionId);
  if (known === undefined || known.userId !== userId) return;
  // Start from the report again: the grace period may have begun with the charge that is now void or paid.
  const reported = { ...known, pastDueSince: known.reportedPastDueSince };
  const owed = await withGraceFromFirstFailure(tx, known.provider, reported);
  if (owed.pastDueSince?.getTime() === known.pastDueSince?.getTime()) return;
  const accessUntil = accessEnd(owed, catalogue.get(owed.planId));
  await changePlan(tx, record, { access, userId }, () =>
    subscriptionRepository.setGrace(tx, known.id, { ...owed, accessUntil }),
  );
}

async function applyCheckout(
  { tx, catalogue, emit, nowMs }: Applying,
  { provider, occurredAt, checkout: told }: EventAbout<'checkout'>,
): Promise<EventOutcome> {
  const { providerCheckoutId, status, subscriptionId, payment } = told;
  const known = await checkoutRepository.findByProviderId(tx, provider, providerCheckoutId);
  if (known === undefined) return 'unknown';
  // The states of a session have an order, so no time is needed.
  if (CHECKOUT_STEPS[status] <= CHECKOUT_STEPS[known.status]) return 'late';
  const isComplete = status === 'complete';
  const completedAt = isComplete ? occurredAt : null;
  await checkoutRepository.setStatus(tx, known.id, { status, subscriptionId, completedAt }, payment);
  if (!isComplete || subscriptionId === null) return 'applied';
  // A subscription that begins with its checkout is announced when it begins, whichever event arrives first.
  const current = await subscriptionRepository.findById(tx, subscriptionId);
  const isChange =
    current !== undefined && (await checkoutRepository.hasPaidBefore(tx, subscriptionId, known.id));
  if (isChange && isRunning(current.state)) {
    const plan = catalogue.get(current.planId);
    const data = { subscription: subscriptionRecord(current, plan, nowMs()) };
    await emit(tx, current.userId, 'subscription.confirmed', data);
  }
  return 'applied';
}

/** Announces the beginning and the end of a dispute. */
async function applyDispute(
  { tx, emit }: Applying,
  { provider, occurredAt, id: eventId, dispute }: EventAbout<'dispute'>,
): Promise<EventOutcome> {
  if (!(await lockKnownUser(tx, dispute.userId))) return 'unknown';
  const known = await disputeRepository.find(tx, provider, dispute.providerDisputeId);
  const reported = { ...dispute, provider, occurredAt, eventId };
  if (!supersedes(known && disputeReport(known), disputeReport(reported))) return 'late';
  await disputeRepository.save(tx, reported);
  if (known?.status !== dispute.status) {
    await recordDispute(tx, dispute);
    const type = dispute.status === 'open' ? 'payment.disputed' : 'payment.dispute_closed';
    await emit(tx, dispute.userId, type, { dispute: disputeRecord(dispute) });
  }
  return 'applied';
}

function disputeReport({ status, occurredAt, eventId }: KnownDispute): Report {
  return { step: DISPUTE_STEPS[status], occurredAt, progress: [], eventId };
}

function disputeRecord({ openedAt, userId: _, providerDisputeId: id, ...dispute }: DisputeSnapshot) {
  return { id, ...dispute, openedAt: openedAt.toISOString() };
}
