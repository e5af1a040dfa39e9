import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { changePlan } from '../plans/public.js';
import { announceSubscription } from './announcements.js';
import { type EventOutcome, lockKnownUser } from './billing-event-repository.js';
import { recordSubscription } from './billing-history.js';
import type { BillingParts } from './billing-parts.js';
import { withGraceFromFirstFailure } from './grace-from-first-failure.js';
import type { BillingEvent, SubscriptionSnapshot } from './provider.js';
import { type Report, supersedes } from './state-table.js';
import { accessEnd } from './subscription.js';
import { type StoredSubscription, subscriptionRepository } from './subscription-repository.js';
import { SUBSCRIPTION_PROGRESS, SUBSCRIPTION_TABLE, type SubscriptionState } from './subscription-states.js';

/** Creates the function that stores the reported state of a subscription, unless the stored state is later. */
export function createApplySubscription(
  parts: Pick<BillingParts, 'catalogue' | 'access' | 'emit' | 'nowMs'>,
) {
  const { catalogue, access, emit, nowMs } = parts;

  return async (
    tx: Queryable,
    record: RecordChange,
    { provider, occurredAt, id: eventId }: BillingEvent,
    told: SubscriptionSnapshot,
  ): Promise<EventOutcome> => {
    const { userId } = told;
    if (!(await lockKnownUser(tx, userId))) return 'unknown';
    const known = await subscriptionRepository.findById(tx, told.id);
    const reported = { ...told, provider, occurredAt, eventId };
    if (!supersedes(SUBSCRIPTION_TABLE, known && reportOf(known), reportOf(reported))) return 'late';
    const owed = await withGraceFromFirstFailure(tx, provider, reported);
    const plan = catalogue.get(owed.planId);
    const current = { ...owed, reportedPastDueSince: told.pastDueSince, accessUntil: accessEnd(owed, plan) };
    await changePlan(tx, record, { access, userId }, () => subscriptionRepository.save(tx, current));
    await recordSubscription(tx, known, told);
    await announceSubscription(tx, emit, { before: known?.state, current, plan, nowMs: nowMs() });
    return 'applied';
  };
}

function reportOf({
  state,
  currentPeriodEnd,
  occurredAt,
  eventId,
}: Pick<
  StoredSubscription,
  'state' | 'currentPeriodEnd' | 'occurredAt' | 'eventId'
>): Report<SubscriptionState> {
  const progress = [currentPeriodEnd.getTime(), SUBSCRIPTION_PROGRESS[state]];
  return { state, occurredAt, progress, eventId };
}
