import type { Plan } from '../accounts/plans.js';
import { userRepository } from '../accounts/user-repository.js';
import type { Queryable } from '../database/database.js';
import type { RecordChange, RulesetOutbox } from '../publisher/ruleset-outbox.js';
import type { EmitIntegratorEvent } from './announcements.js';
import { announceChange, announceSubscription, announceTransaction } from './announcements.js';
import { billingEventRepository, type EventOutcome } from './billing-event-repository.js';
import { checkoutRepository } from './checkout-repository.js';
import { CHECKOUT_TABLE } from './checkout-states.js';
import { withGraceFromFirstFailure } from './grace.js';
import type { PlanAccess } from './plan-access.js';
import type { PlanCatalogue } from './plan-catalogue.js';
import { recordPlanChange } from './plan-change.js';
import type {
  BillingEvent,
  CheckoutSnapshot,
  SubscriptionSnapshot,
  TransactionSnapshot,
} from './provider.js';
import { type Recency, supersedes } from './state-table.js';
import { accessEnd } from './subscription.js';
import { subscriptionRepository } from './subscription-repository.js';
import { SUBSCRIPTION_PROGRESS, SUBSCRIPTION_TABLE } from './subscription-states.js';
import { transactionRepository } from './transaction-repository.js';
import { TRANSACTION_TABLE } from './transaction-states.js';

export interface BillingEventsDeps {
  readonly outbox: RulesetOutbox;
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
  readonly emit: EmitIntegratorEvent;
  readonly now: () => number;
}

/**
 * The one way in which subscriptions, transactions and checkout sessions change, whoever tells of it: commands,
 * webhooks, the sandbox, reconciliation.
 */
export interface BillingEvents {
  /**
   * Applies events in the order given, each in a transaction of its own, with what it means to integrators and
   * data planes. Each event counts once. An event never moves anything backwards, in whatever order and however
   * often events come: see {@link supersedes}.
   *
   * @returns what became of each
   */
  apply(...events: readonly BillingEvent[]): Promise<readonly AppliedAs[]>;
  /**
   * Applies the events that `decide` comes to, all in one transaction or, when it throws, none. Nothing else becomes
   * of the user's subscriptions meanwhile: of two decisions at the same moment, the second sees what came of the first.
   *
   * @param decide may read what it depends on with `tx`
   * @returns what became of each event
   */
  applyDecision(
    userId: string,
    decide: (tx: Queryable) => Promise<readonly BillingEvent[]>,
  ): Promise<readonly AppliedAs[]>;
}

/** What became of an event, or that it was told before. */
export type AppliedAs = EventOutcome | 'duplicate';

export function createBillingEvents(deps: BillingEventsDeps): BillingEvents {
  const { outbox, catalogue, access, emit, now } = deps;

  async function applySubscription(
    tx: Queryable,
    record: RecordChange,
    event: BillingEvent,
    told: SubscriptionSnapshot,
  ): Promise<EventOutcome> {
    const { userId } = told;
    if (!(await lockKnownUser(tx, userId))) return 'unknown';
    const known = await subscriptionRepository.findById(tx, told.id);
    const reported = { state: told.state, recency: subscriptionRecency(event, told) };
    if (
      known !== undefined &&
      !supersedes(
        SUBSCRIPTION_TABLE,
        { state: known.state, recency: subscriptionRecency({ ...known, id: known.eventId }, known) },
        reported,
      )
    ) {
      return 'late';
    }
    const subscription = await withGraceFromFirstFailure(tx, event.provider, told);
    const before = await planIn(tx, userId);
    const plan = catalogue.get(subscription.planId);
    const accessUntil = accessEnd(subscription, plan);
    await subscriptionRepository.save(tx, {
      provider: event.provider,
      subscription,
      reportedPastDueSince: told.pastDueSince,
      accessUntil,
      occurredAt: event.occurredAt,
      eventId: event.id,
    });
    await recordPlanChange(tx, record, userId, { before, after: await planIn(tx, userId) });
    const current = { ...subscription, provider: event.provider, accessUntil };
    await announceSubscription(tx, emit, { before: known?.state, current, plan, nowMs: now() });
    return 'applied';
  }

  async function planIn(tx: Queryable, userId: string): Promise<Plan> {
    return (await access.plansOf(tx, [userId])).get(userId) ?? catalogue.defaultPlan;
  }

  /** A charge that is told of after its subscription may be the one that the days of grace count from. */
  async function applyGrace(
    tx: Queryable,
    record: RecordChange,
    { subscriptionId, userId }: TransactionSnapshot,
  ): Promise<void> {
    const known = await subscriptionRepository.findById(tx, subscriptionId);
    if (known === undefined || known.userId !== userId) return;
    // From the report anew: they may have been counted from the very charge that is called off or paid now.
    const reported = { ...known, pastDueSince: known.reportedPastDueSince };
    const owed = await withGraceFromFirstFailure(tx, known.provider, reported);
    if (owed.pastDueSince?.getTime() === known.pastDueSince?.getTime()) return;
    const before = await planIn(tx, userId);
    const accessUntil = accessEnd(owed, catalogue.get(owed.planId));
    await subscriptionRepository.setGrace(tx, known.id, { ...owed, accessUntil });
    await recordPlanChange(tx, record, userId, { before, after: await planIn(tx, userId) });
  }

  async function applyTransaction(
    tx: Queryable,
    record: RecordChange,
    event: BillingEvent,
    transaction: TransactionSnapshot,
  ): Promise<EventOutcome> {
    const { provider, occurredAt, id: eventId } = event;
    if (!(await lockKnownUser(tx, transaction.userId))) return 'unknown';
    const known = await transactionRepository.find(tx, provider, transaction.providerTransactionId);
    const isLate =
      known !== undefined &&
      !supersedes(
        TRANSACTION_TABLE,
        { state: known.status, recency: transactionRecency({ ...known, id: known.eventId }, known) },
        { state: transaction.status, recency: transactionRecency(event, transaction) },
      );
    if (isLate) return 'late';
    await transactionRepository.save(tx, { provider, transaction, occurredAt, eventId });
    await applyGrace(tx, record, transaction);
    if (transaction.status === 'failed' && known?.status !== 'failed') {
      const saved = await transactionRepository.find(tx, provider, transaction.providerTransactionId);
      if (saved !== undefined) {
        await announceTransaction(tx, emit, saved, catalogue.get(transaction.planId));
      }
    }
    return 'applied';
  }

  async function applyCheckout(
    tx: Queryable,
    event: BillingEvent,
    checkout: CheckoutSnapshot,
  ): Promise<EventOutcome> {
    const { provider, occurredAt } = event;
    const { status, subscriptionId } = checkout;
    const known = await checkoutRepository.findByProviderId(tx, provider, checkout.providerCheckoutId);
    if (known === undefined) return 'unknown';
    // The states of a session say by themselves which is the later one.
    if (CHECKOUT_TABLE[known.status][status] !== 'take') return 'late';
    const isComplete = status === 'complete';
    await checkoutRepository.setStatus(tx, known.id, {
      status,
      subscriptionId,
      completedAt: isComplete ? occurredAt : null,
    });
    if (!isComplete || subscriptionId === null) return 'applied';
    const current = await subscriptionRepository.findById(tx, subscriptionId);
    if (current !== undefined && (await checkoutRepository.hasPaidBefore(tx, subscriptionId, known.id))) {
      await announceChange(tx, emit, { current, plan: catalogue.get(current.planId), nowMs: now() });
    }
    return 'applied';
  }

  async function applyOnce(tx: Queryable, record: RecordChange, event: BillingEvent): Promise<AppliedAs> {
    if (!(await billingEventRepository.insert(tx, event))) return 'duplicate';
    const outcome = await applyNew(tx, record, event);
    if (outcome !== 'applied') await billingEventRepository.setOutcome(tx, event, outcome);
    return outcome;
  }

  function applyNew(tx: Queryable, record: RecordChange, event: BillingEvent): Promise<EventOutcome> {
    switch (event.about) {
      case 'subscription':
        return applySubscription(tx, record, event, event.subscription);
      case 'transaction':
        return applyTransaction(tx, record, event, event.transaction);
      case 'checkout':
        return applyCheckout(tx, event, event.checkout);
    }
  }

  return {
    async apply(...events) {
      const outcomes: AppliedAs[] = [];
      for (const event of events) {
        outcomes.push(await outbox.commit((tx, record) => applyOnce(tx, record, event)));
        if (event.about === 'subscription') access.forget(event.subscription.userId);
        if (event.about === 'transaction') access.forget(event.transaction.userId);
      }
      return outcomes;
    },

    async applyDecision(userId, decide) {
      const outcomes = await outbox.commit(async (tx, record) => {
        await billingEventRepository.lockUser(tx, userId);
        const applied: AppliedAs[] = [];
        for (const event of await decide(tx)) applied.push(await applyOnce(tx, record, event));
        return applied;
      });
      access.forget(userId);
      return outcomes;
    },
  };
}

async function lockKnownUser(tx: Queryable, userId: string): Promise<boolean> {
  await billingEventRepository.lockUser(tx, userId);
  return (await userRepository.findById(tx, userId)) !== undefined;
}

type Told = Pick<BillingEvent, 'occurredAt' | 'id'>;

function subscriptionRecency(
  { occurredAt, id }: Told,
  { state, currentPeriodEnd }: Pick<SubscriptionSnapshot, 'state' | 'currentPeriodEnd'>,
): Recency {
  const progress = [currentPeriodEnd.getTime(), SUBSCRIPTION_PROGRESS[state]];
  return { occurredAtMs: occurredAt.getTime(), progress, eventId: id };
}

function transactionRecency({ occurredAt, id }: Told, { refundedAmount }: TransactionSnapshot): Recency {
  return { occurredAtMs: occurredAt.getTime(), progress: [refundedAmount], eventId: id };
}
