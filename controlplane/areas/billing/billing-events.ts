import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { createApplyCheckout } from './apply-checkout.js';
import { createApplyDispute } from './apply-dispute.js';
import { createApplySubscription } from './apply-subscription.js';
import { createApplyTransaction } from './apply-transaction.js';
import { billingEventRepository, type EventOutcome } from './billing-event-repository.js';
import type { AppliedAs, BillingEvents, BillingParts } from './billing-parts.js';
import type { BillingEvent } from './provider.js';

export function createBillingEvents(
  deps: Pick<BillingParts, 'outbox' | 'catalogue' | 'access' | 'emit' | 'nowMs'>,
): BillingEvents {
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
