import type Stripe from 'stripe';
import type { BillingParts } from '../billing-parts.js';
import type { DisputeState } from '../billing-states.js';
import { isRunning } from '../billing-states.js';
import { disputeRepository } from '../dispute-repository.js';
import type { DisputeSnapshot } from '../provider.js';
import { subscriptionRepository } from '../subscription-repository.js';
import { dateOf, idOf, METADATA } from './stripe-names.js';

/** Reads a dispute. Returns undefined if its payment is not for a subscription of this service. */
export function disputeSnapshot(
  dispute: Stripe.Dispute,
  invoice: Stripe.Invoice | undefined,
): DisputeSnapshot | undefined {
  const details = invoice?.parent?.subscription_details;
  const userId = details?.metadata?.[METADATA.user];
  if (invoice === undefined || details == null || userId === undefined) return undefined;
  return {
    providerDisputeId: dispute.id,
    userId,
    subscriptionId: idOf(details.subscription),
    providerTransactionId: invoice.id,
    status: stateOf(dispute.status),
    amount: dispute.amount,
    currency: dispute.currency,
    reason: dispute.reason,
    openedAt: dateOf(dispute.created),
  };
}

/** A closed inquiry (`warning_…`) of the bank took no money back. */
function stateOf(status: Stripe.Dispute.Status): DisputeState {
  if (status === 'lost') return 'lost';
  return status === 'won' || status === 'warning_closed' || status === 'prevented' ? 'won' : 'open';
}

/** Reports a dispute to the operator. Ends the subscription immediately if the dispute is lost. Safe to repeat. */
export type SettleDispute = (dispute: DisputeSnapshot) => Promise<void>;

export function createSettleDispute(
  deps: Pick<BillingParts, 'database' | 'provider' | 'events' | 'logger'>,
): SettleDispute {
  const { database, provider, events, logger } = deps;
  return async ({ providerDisputeId, subscriptionId, userId, amount, currency, reason }) => {
    const dispute = await disputeRepository.find(database, provider.name, providerDisputeId);
    if (dispute === undefined) return;
    const facts = {
      dispute: providerDisputeId,
      user: userId,
      subscription: subscriptionId,
      amount,
      currency,
    };
    if (dispute.status === 'open') {
      logger.warn(
        { ...facts, reason },
        'a payment is disputed: send the evidence in the dashboard of Stripe',
      );
    }
    if (dispute.status !== 'lost') return;
    const subscription = await subscriptionRepository.findById(database, subscriptionId);
    if (subscription === undefined || !isRunning(subscription.state)) return;
    logger.warn({ ...facts, reason }, 'a dispute is lost: its subscription ends');
    await events.apply(
      ...(await provider.cancelNow(subscriptionId, 'The dispute about a payment was lost.')),
    );
  };
}
