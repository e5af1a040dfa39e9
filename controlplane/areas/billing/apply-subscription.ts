import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { changePlan } from '../plans/public.js';
import { announceSubscription } from './announcements.js';
import type { EventOutcome } from './billing-event-repository.js';
import { recordSubscription } from './billing-history.js';
import type { BillingParts } from './billing-parts.js';
import { withGraceFromFirstFailure } from './grace-from-first-failure.js';
import { lockKnownUser } from './lock-known-user.js';
import type { BillingEvent, SubscriptionSnapshot } from './provider.js';
import { type Recency, supersedes } from './state-table.js';
import { accessEnd } from './subscription.js';
import { subscriptionRepository } from './subscription-repository.js';
import { SUBSCRIPTION_PROGRESS, SUBSCRIPTION_TABLE } from './subscription-states.js';

/** Stores the reported state of a subscription, unless the stored state is later. */
export type ApplySubscription = (
  tx: Queryable,
  record: RecordChange,
  event: BillingEvent,
  told: SubscriptionSnapshot,
) => Promise<EventOutcome>;

export function createApplySubscription(
  deps: Pick<BillingParts, 'catalogue' | 'access' | 'emit' | 'nowMs'>,
): ApplySubscription {
  const { catalogue, access, emit, nowMs } = deps;

  return async (tx, record, event, told) => {
    const { userId } = told;
    if (!(await lockKnownUser(tx, userId))) return 'unknown';
    const known = await subscriptionRepository.findById(tx, told.id);
    const isLate =
      known !== undefined &&
      !supersedes(
        SUBSCRIPTION_TABLE,
        { state: known.state, recency: recencyOf({ ...known, id: known.eventId }, known) },
        { state: told.state, recency: recencyOf(event, told) },
      );
    if (isLate) return 'late';
    const subscription = await withGraceFromFirstFailure(tx, event.provider, told);
    const plan = catalogue.get(subscription.planId);
    const accessUntil = accessEnd(subscription, plan);
    await changePlan(tx, record, { access, userId }, () =>
      subscriptionRepository.save(tx, {
        provider: event.provider,
        subscription,
        reportedPastDueSince: told.pastDueSince,
        accessUntil,
        occurredAt: event.occurredAt,
        eventId: event.id,
      }),
    );
    const current = { ...subscription, provider: event.provider, accessUntil };
    await recordSubscription(tx, known, told);
    await announceSubscription(tx, emit, { before: known?.state, current, plan, nowMs: nowMs() });
    return 'applied';
  };
}

function recencyOf(
  { occurredAt, id }: Pick<BillingEvent, 'occurredAt' | 'id'>,
  { state, currentPeriodEnd }: Pick<SubscriptionSnapshot, 'state' | 'currentPeriodEnd'>,
): Recency {
  const progress = [currentPeriodEnd.getTime(), SUBSCRIPTION_PROGRESS[state]];
  return { occurredAtMs: occurredAt.getTime(), progress, eventId: id };
}
