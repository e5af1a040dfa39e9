import type Stripe from 'stripe';
import { customerRepository } from '../customers.js';
import { subscriptionRepository } from '../subscription-repository.js';
import { listRenewing } from './stripe-answers.js';
import { answerOf, type StripeParts, StripeRefusal } from './stripe-client.js';
import { idOf, METADATA, STRIPE } from './stripe-names.js';

/** Whether the charges of the earlier subscription are paid. */
type KeptStanding = 'paid' | 'owed';

/** Amount paid for the later subscription. */
type DuplicatePayments = 'none' | 'first' | 'several';

/** `end`: the subscription ends. `refund and end`: its payment is also refunded. `report`: an operator decides. */
type DuplicateVerdict = 'end' | 'refund and end' | 'report';

/**
 * Treatment of a second subscription of the same user. The earlier one stays, because the second page sold the same
 * plan again. An automatic refund requires a certain double payment: the first payment of the later subscription while
 * the earlier one is paid.
 */
const DUPLICATE_TABLE: Readonly<Record<KeptStanding, Readonly<Record<DuplicatePayments, DuplicateVerdict>>>> =
  {
    paid: { none: 'end', first: 'refund and end', several: 'report' },
    owed: { none: 'end', first: 'report', several: 'report' },
  };

const REASON = 'A second subscription of the same user, by two checkouts at the same time.';
/** A trial begins with an invoice of 0. A subscription with more than one other payment is reported. */
const READ_INVOICES = 3;

/**
 * Resolves double subscriptions of a user. They arise when two pages are paid at the same moment.
 * {@link DUPLICATE_TABLE} says which subscription stays and what happens to the other. Safe to repeat: a payment is
 * refunded once, and the next run completes an interrupted one.
 */
export type DuplicateSubscriptions = ReturnType<typeof createDuplicateSubscriptions>;

export function createDuplicateSubscriptions(
  deps: Pick<StripeParts, 'stripe' | 'database' | 'provider' | 'events' | 'logger'>,
) {
  const { stripe, database, provider, events, logger } = deps;

  async function end({ id }: Stripe.Subscription): Promise<void> {
    await events.apply(...(await provider.cancelNow(id, REASON)));
    await events.apply(...(await provider.readSubscription(id)));
  }

  async function settleOne(
    userId: string,
    kept: Stripe.Subscription,
    duplicate: Stripe.Subscription,
  ): Promise<void> {
    const payments = await listPayments(stripe, duplicate.id);
    const verdict = DUPLICATE_TABLE[standingOf(kept)][countOf(payments)];
    const about = { user: userId, kept: kept.id, duplicate: duplicate.id, verdict };
    if (verdict === 'report') {
      logger.error(about, 'a user is charged for two subscriptions: see to it at Stripe');
      return;
    }
    // Refund first: an ended subscription is not read again.
    if (verdict === 'refund and end') for (const payment of payments) await refund(stripe, payment, userId);
    await end(duplicate);
    logger.error(about, 'a user had subscribed twice: the later subscription is ended');
  }

  /** @throws {AppError} SERVICE_UNAVAILABLE */
  async function settle(userId: string): Promise<void> {
    const [doubled] = await subscriptionRepository.findDoubled(database, STRIPE, userId);
    if (doubled === undefined) return;
    const customerId = await customerRepository.find(database, userId, STRIPE);
    const renewing = customerId === undefined ? [] : await listRenewing(stripe, { userId, customerId });
    const [kept, ...duplicates] = renewing;
    if (kept === undefined) return;
    for (const duplicate of duplicates) await settleOne(userId, kept, duplicate);
  }

  return {
    settle,
    /** Handles all users who have several subscriptions. A failure is logged and left for the next run. */
    async settleAll(stopping?: AbortSignal): Promise<void> {
      for (const userId of await subscriptionRepository.findDoubled(database, STRIPE)) {
        if (stopping?.aborted) return;
        await settle(userId).catch((error: unknown) => {
          logger.error({ err: error, user: userId }, 'a user who has subscribed twice could not be seen to');
        });
      }
    },
  };
}

function standingOf({ status }: Stripe.Subscription): KeptStanding {
  return status === 'active' || status === 'trialing' ? 'paid' : 'owed';
}

/** Counts payments. A payment without a card or account cannot be refunded automatically, and counts as several. */
function countOf(payments: readonly (string | undefined)[]): DuplicatePayments {
  if (payments.length === 0) return 'none';
  return payments.length === 1 && payments[0] !== undefined ? 'first' : 'several';
}

/** Returns the ids of a subscription's payments; `undefined` if it is not one of Stripe. */
async function listPayments(stripe: Stripe, subscription: string): Promise<(string | undefined)[]> {
  const { data } = await answerOf(
    stripe.invoices.list({ subscription, status: 'paid', limit: READ_INVOICES, expand: ['data.payments'] }),
  );
  return data
    .filter(({ amount_paid }) => amount_paid > 0)
    .map(({ payments }) => {
      const intent = payments?.data.find(({ payment }) => payment.payment_intent !== undefined);
      return intent?.payment.payment_intent && idOf(intent.payment.payment_intent);
    });
}

async function refund(stripe: Stripe, payment: string | undefined, userId: string): Promise<void> {
  if (payment === undefined) return;
  try {
    await answerOf(
      stripe.refunds.create(
        { payment_intent: payment, reason: 'duplicate', metadata: { [METADATA.user]: userId } },
        { idempotencyKey: `waymark-duplicate-${payment}` },
      ),
    );
  } catch (error) {
    // Stripe keeps idempotency keys for a day. Later it answers that the refund exists.
    if (error instanceof StripeRefusal && error.isRefunded) return;
    throw error;
  }
}
