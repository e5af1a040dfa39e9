import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { changePlan, endExcess } from '../plans/public.js';
import { announceTransaction } from './announcements.js';
import { type EventOutcome, lockKnownUser } from './billing-event-repository.js';
import { recordPayment } from './billing-history.js';
import type { BillingParts } from './billing-parts.js';
import { withGraceFromFirstFailure } from './grace-from-first-failure.js';
import type { BillingEvent, TransactionSnapshot } from './provider.js';
import { type Report, supersedes } from './state-table.js';
import { accessEnd } from './subscription.js';
import { subscriptionRepository } from './subscription-repository.js';
import { type StoredTransaction, transactionRepository } from './transaction-repository.js';
import { TRANSACTION_TABLE, type TransactionState } from './transaction-states.js';

/** Creates the function that stores the reported state of a charge, unless the stored state is later. */
export function createApplyTransaction(parts: Pick<BillingParts, 'catalogue' | 'access' | 'emit'>) {
  const { catalogue, access, emit } = parts;

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

  return async (
    tx: Queryable,
    record: RecordChange,
    { provider, occurredAt, id: eventId }: BillingEvent,
    told: TransactionSnapshot,
  ): Promise<EventOutcome> => {
    if (!(await lockKnownUser(tx, told.userId))) return 'unknown';
    const known = await transactionRepository.find(tx, provider, told.providerTransactionId);
    const reported = { ...told, provider, occurredAt, eventId };
    if (!supersedes(TRANSACTION_TABLE, known && reportOf(known), reportOf(reported))) return 'late';
    await transactionRepository.save(tx, reported);
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

function reportOf({
  status: state,
  refundedAmount,
  occurredAt,
  eventId,
}: Omit<StoredTransaction, 'id'>): Report<TransactionState> {
  return { state, occurredAt, progress: [refundedAmount], eventId };
}
