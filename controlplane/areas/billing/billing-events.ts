import type { RecordChange, RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { PlanAccess, PlanCatalogue } from '../plans/public.js';
import type { EmitIntegratorEvent } from './announcements.js';
import { createApplyCheckout } from './apply-checkout.js';
import { createApplyDispute } from './apply-dispute.js';
import { createApplySubscription } from './apply-subscription.js';
import { createApplyTransaction } from './apply-transaction.js';
import { billingEventRepository, type EventOutcome } from './billing-event-repository.js';
import type { BillingEvent } from './provider.js';

export interface BillingEventsDeps {
  readonly outbox: RulesetOutbox;
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
  readonly emit: EmitIntegratorEvent;
  readonly nowMs: () => number;
}

/**
 * The only way to change subscriptions, transactions and checkout sessions. Commands, webhooks, the sandbox and
 * reconciliation all use it.
 */
export interface BillingEvents {
  /**
   * Applies events in the given order, each in a transaction of its own, together with its announcements and the
   * changes for data planes. Each event counts once. Events may arrive in any order and repeatedly; none moves a
   * state backwards: see {@link supersedes}.
   *
   * @returns the outcome of each
   */
  apply(...events: readonly BillingEvent[]): Promise<readonly AppliedAs[]>;
  /**
   * Applies the events that `decide` returns in one transaction, or none if it throws. Locks the user's
   * subscriptions: of two concurrent decisions, the second sees the result of the first.
   *
   * @param decide may read what it depends on with `tx`
   * @returns the outcome of each event
   */
  applyDecision(
    userId: string,
    decide: (tx: Queryable) => Promise<readonly BillingEvent[]>,
  ): Promise<readonly AppliedAs[]>;
}

/** Outcome of an event; `duplicate` if it was reported before. */
export type AppliedAs = EventOutcome | 'duplicate';

export function createBillingEvents(deps: BillingEventsDeps): BillingEvents {
  const { outbox, access } = deps;
  const applySubscription = createApplySubscription(deps);
  const applyTransaction = createApplyTransaction(deps);
  const applyCheckout = createApplyCheckout(deps);
  const applyDispute = createApplyDispute(deps);

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
      case 'dispute':
        return applyDispute(tx, event, event.dispute);
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
