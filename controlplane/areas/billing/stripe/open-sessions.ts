import type Stripe from 'stripe';
import type { BillingEvent } from '../provider.js';
import { checkoutSnapshot } from './checkout-snapshot.js';
import { answerId, momentOf } from './stripe-answers.js';
import { answerOf, StripeRefusal } from './stripe-client.js';
import { METADATA, STRIPE } from './stripe-names.js';
import type { StripeOwner } from './stripe-subscriptions.js';

/**
 * Closes a checkout session, so that nobody can pay on its page.
 *
 * @returns the event to apply; none if the session was paid or had ended, because Stripe reports that itself
 */
export async function closeSession(stripe: Stripe, id: string, nowMs: () => number): Promise<BillingEvent[]> {
  try {
    const session = await answerOf(stripe.checkout.sessions.expire(id));
    const told = { id: answerId(id), provider: STRIPE, occurredAt: momentOf(session, nowMs()) };
    return [{ ...told, about: 'checkout', checkout: checkoutSnapshot(session) }];
  } catch (error) {
    if (error instanceof StripeRefusal) return [];
    throw error;
  }
}

/**
 * Closes all sessions of a user except one. Sessions that sell something else stay open: an account may sell other
 * things.
 */
export async function closeOtherSessions(
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
