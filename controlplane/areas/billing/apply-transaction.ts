import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { changePlan, endExcess } from '../plans/public.js';
import { announceTransaction } from './announcements.js';
import type { EventOutcome } from './billing-event-repository.js';
import { recordPayment } from './billing-history.js';
import type { BillingParts } from './billing-parts.js';
import { withGraceFromFirstFailure } from './grace-from-first-failure.js';
import { lockKnownUser } from './lock-known-user.js';
import type { BillingEvent, TransactionSnapshot } from './provider.js';
import { type Recency, supersedes } from './state-table.js';
import { accessEnd } from './subscription.js';
import { subscriptionRepository } from './subscription-repository.js';
import { transactionRepository } from './transaction-repository.js';
import { TRANSACTION_TABLE } from './transaction-states.js';

/** Stores the reported state of a charge, unless the stored state is later. */
export type ApplyTransaction = (
  tx: Queryable,
  record: RecordChange,
  event: BillingEvent,
  told: TransactionSnapshot,
) => Promise<EventOutcome>;

export function createApplyTransaction({
  catalogue,
  access,
  emit,
}: Pick<BillingParts, 'catalogue' | 'access' | 'emit'>): ApplyTransaction {
  /** The grace period may begin with a charge that is reported after its subscription. */
  async function applyGrace(
    tx: Queryable,
    record: RecordChange,
    { subscriptionId, userId }: TransactionSnapshot,
  ): Promise<void> {
    const known = await subscriptionRepository.findById(tx, subscriptionId);
    if (known === undefined || known.userId !== userId) return;
    // Start from the report again: the grace period may have begun with the charge that is now void or paid.
    const reported = { ...known, pastDueSince: known.reportedPastDueSince };
    const owed = await withGraceFromFirstFailure(tx, known.provider, reported);
    if (owed.pastDueSince?.getTime() === known.pastDueSince?.getTime()) return;
    const accessUntil = accessEnd(owed, catalogue.get(owed.planId));
    await changePlan(tx, record, { access, userId }, () =>
      subscriptionRepository.setGrace(tx, known.id, { ...owed, accessUntil }),
    );
  }

  return async (tx, record, event, told) => {
    const { provider, occurredAt, id: eventId } = event;
    if (!(await lockKnownUser(tx, told.userId))) return 'unknown';
    const known = await transactionRepository.find(tx, provider, told.providerTransactionId);
    const isLate =
      known !== undefined &&
      !supersedes(
        TRANSACTION_TABLE,
        { state: known.status, recency: recencyOf({ ...known, id: known.eventId }, known) },
        { state: told.status, recency: recencyOf(event, told) },
      );
    if (isLate) return 'late';
    await transactionRepository.save(tx, { provider, transaction: told, occurredAt, eventId });
    await recordPayment(tx, known, told);
    await applyGrace(tx, record, told);
    if (told.status === 'succeeded') await endExcess(tx, record, { access, userId: told.userId });
    if (told.status === 'failed' && known?.status !== 'failed') {
      const saved = await transactionRepository.find(tx, provider, told.providerTransactionId);
      if (saved !== undefined) await announceTransaction(tx, emit, saved, catalogue.get(told.planId));
    }
    return 'applied';
  };
}

function recencyOf(
  { occurredAt, id }: Pick<BillingEvent, 'occurredAt' | 'id'>,
  { refundedAmount }: Pick<TransactionSnapshot, 'refundedAmount'>,
): Recency {
  return { occurredAtMs: occurredAt.getTime(), progress: [refundedAmount], eventId: id };
}
