import type Stripe from 'stripe';
import type { AreaParts } from '../../../area.js';
import type { BillingEvent, NewCheckout, OpenedCheckout } from '../provider.js';
import { checkoutSnapshot, paymentOf } from './checkout-snapshot.js';
import type { StripeAddresses } from './stripe-addresses.js';
import { answerId, askSubscription, listRenewing, momentOf, type StripeOwner } from './stripe-answers.js';
import type { StripeChanges } from './stripe-changes.js';
import { answerOf, StripeRefusal } from './stripe-client.js';
import { METADATA, STRIPE } from './stripe-names.js';
import type { StripePrices } from './stripe-prices.js';

interface StripeCheckoutDeps extends Pick<AreaParts, 'database' | 'nowMs'> {
  readonly stripe: Stripe;
  readonly prices: StripePrices;
  readonly changes: StripeChanges;
  readonly addresses: StripeAddresses;
}

/** Opens the hosted page on which a user pays for a plan: a new subscription, or a change of the current one. */
export type OpenCheckout = (checkout: NewCheckout) => Promise<OpenedCheckout>;

export function createOpenCheckout(deps: StripeCheckoutDeps): OpenCheckout {
  const { stripe, database, prices, changes, addresses, nowMs } = deps;

  async function createSession(checkout: NewCheckout): Promise<Stripe.Checkout.Session> {
    const { checkoutId, userId, customerId, plan, trialDays, successUrl, cancelUrl } = checkout;
    const metadata = { [METADATA.user]: userId, [METADATA.plan]: plan.id };
    return answerOf(
      stripe.checkout.sessions.create(
        {
          mode: 'subscription',
          customer: customerId,
          client_reference_id: checkoutId,
          line_items: [await prices.lineItemOf(plan)],
          metadata,
          subscription_data: { metadata, ...(trialDays > 0 && { trial_period_days: trialDays }) },
          success_url: successUrl ?? addresses.afterCheckout(checkoutId),
          cancel_url: cancelUrl ?? addresses.back(),
          // No `expires_at`: Stripe's default is 24 h. If our clock is ahead, Stripe would refuse our value.
        },
        { idempotencyKey: `waymark-checkout-${checkoutId}` },
      ),
    );
  }

  /**
   * Opens the page first, while its address is still secret. Then closes all other pages, including pages of concurrent
   * or unanswered requests. Then looks for payments on them. After that no other page can start a subscription.
   */
  async function begin(checkout: NewCheckout): Promise<OpenedCheckout> {
    const { userId, customerId } = checkout;
    const session = await createSession(checkout);
    if (session.url === null) throw new Error(`checkout session ${session.id} has no page`);
    const owner = { userId, customerId };
    const closed = await closeOtherSessions(stripe, owner, session.id, nowMs);
    const [running] = await listRenewing(stripe, owner);
    if (running === undefined) {
      const page = { providerCheckoutId: session.id, url: session.url, ...paymentOf(session) };
      return { page, events: closed };
    }
    await closeSession(stripe, session.id, nowMs);
    const ask = () => answerOf(stripe.subscriptions.retrieve(running.id));
    return {
      page: undefined,
      events: [...closed, ...(await askSubscription(database, running.id, ask, nowMs))],
    };
  }

  return (checkout) => (checkout.replaces === undefined ? begin(checkout) : changes.open(checkout));
}

/**
 * Closes a checkout session. Its page then takes no payment.
 *
 * @returns the event to apply; none if the session was paid or had ended, because Stripe sends its own event
 */
async function closeSession(stripe: Stripe, id: string, nowMs: () => number): Promise<BillingEvent[]> {
  try {
    const session = await answerOf(stripe.checkout.sessions.expire(id));
    const told = { id: answerId(id), provider: STRIPE, occurredAt: momentOf(session, nowMs()) };
    return [{ ...told, about: 'checkout', checkout: checkoutSnapshot(session) }];
  } catch (error) {
    if (error instanceof StripeRefusal) return [];
    throw error;
  }
}

/** Closes all sessions of a user except one. Sessions for other products of the account stay open. */
async function closeOtherSessions(
  stripe: Stripe,
  { userId, customerId }: StripeOwner,
  exceptId: string,
  nowMs: () => number,
): Promise<BillingEvent[]> {
  const { data } = await answerOf(
    stripe.checkout.sessions.list({ customer: customerId, status: 'open', limit: 100 }),
  );
  const closed: BillingEvent[] = [];
  for (const { id, metadata } of data) {
    if (id === exceptId || metadata?.[METADATA.user] !== userId) continue;
    closed.push(...(await closeSession(stripe, id, nowMs)));
  }
  return closed;
}
