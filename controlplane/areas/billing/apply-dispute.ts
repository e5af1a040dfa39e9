import type { Queryable } from '../../storage/postgres/database.js';
import { type EventOutcome, lockKnownUser } from './billing-event-repository.js';
import { recordDispute } from './billing-history.js';
import type { BillingParts } from './billing-parts.js';
import { DISPUTE_TABLE, type DisputeSnapshot, type DisputeState } from './dispute.js';
import { disputeRepository, type KnownDispute } from './dispute-repository.js';
import type { BillingEvent } from './provider.js';
import { type Report, supersedes } from './state-table.js';

/** Creates the function that stores the reported state of a dispute, and announces its beginning and its end. */
export function createApplyDispute({ emit }: Pick<BillingParts, 'emit'>) {
  return async (
    tx: Queryable,
    { provider, occurredAt, id: eventId }: BillingEvent,
    dispute: DisputeSnapshot,
  ): Promise<EventOutcome> => {
    if (!(await lockKnownUser(tx, dispute.userId))) return 'unknown';
    const known = await disputeRepository.find(tx, provider, dispute.providerDisputeId);
    const reported = { ...dispute, provider, occurredAt, eventId };
    if (!supersedes(DISPUTE_TABLE, known && reportOf(known), reportOf(reported))) return 'late';
    await disputeRepository.save(tx, reported);
    if (known?.status !== dispute.status) {
      await recordDispute(tx, dispute);
      const type = dispute.status === 'open' ? 'payment.disputed' : 'payment.dispute_closed';
      await emit(tx, dispute.userId, type, { dispute: disputeRecord(dispute) });
    }
    return 'applied';
  };
}

function reportOf({ status: state, occurredAt, eventId }: KnownDispute): Report<DisputeState> {
  return { state, occurredAt, progress: [], eventId };
}

function disputeRecord({ openedAt, userId: _, providerDisputeId: id, ...dispute }: DisputeSnapshot) {
  return { id, ...dispute, openedAt: openedAt.toISOString() };
}
