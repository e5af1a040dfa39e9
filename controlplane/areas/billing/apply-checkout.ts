import type { Queryable } from '../../storage/postgres/database.js';
import { announceChange } from './announcements.js';
import type { EventOutcome } from './billing-event-repository.js';
import type { BillingParts } from './billing-parts.js';
import { checkoutRepository } from './checkout-repository.js';
import type { BillingEvent, CheckoutSnapshot, CheckoutStatus } from './provider.js';
import type { StateTable } from './state-table.js';
import { subscriptionRepository } from './subscription-repository.js';

/** A payment at the last moment counts, even if the session was reported as expired. */
// biome-ignore format: a table is read by its columns
export const CHECKOUT_TABLE: StateTable<CheckoutStatus> = {
  // reported: open           expired           complete
  open:      { open: 'keep', expired: 'take', complete: 'take' },
  expired:   { open: 'keep', expired: 'keep', complete: 'take' },
  complete:  { open: 'keep', expired: 'keep', complete: 'keep' },
};

/** Creates the function that stores the reported state of a checkout session, unless the stored state is later. */
export function createApplyCheckout({
  catalogue,
  emit,
  nowMs,
}: Pick<BillingParts, 'catalogue' | 'emit' | 'nowMs'>) {
  return async (
    tx: Queryable,
    { provider, occurredAt }: BillingEvent,
    told: CheckoutSnapshot,
  ): Promise<EventOutcome> => {
    const { providerCheckoutId, status, subscriptionId, payment } = told;
    const known = await checkoutRepository.findByProviderId(tx, provider, providerCheckoutId);
    if (known === undefined) return 'unknown';
    // The states of a session have an order, so no time is needed.
    if (CHECKOUT_TABLE[known.status][status] !== 'take') return 'late';
    const isComplete = status === 'complete';
    const completedAt = isComplete ? occurredAt : null;
    await checkoutRepository.setStatus(tx, known.id, { status, subscriptionId, completedAt }, payment);
    if (!isComplete || subscriptionId === null) return 'applied';
    const current = await subscriptionRepository.findById(tx, subscriptionId);
    if (current !== undefined && (await checkoutRepository.hasPaidBefore(tx, subscriptionId, known.id))) {
      await announceChange(tx, emit, { current, plan: catalogue.get(current.planId), nowMs: nowMs() });
    }
    return 'applied';
  };
}
