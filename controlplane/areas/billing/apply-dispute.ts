import type { Queryable } from '../../storage/postgres/database.js';
import type { EmitIntegratorEvent } from './announcements.js';
import type { EventOutcome } from './billing-event-repository.js';
import { recordDispute } from './billing-history.js';
import { DISPUTE_TABLE, type DisputeSnapshot } from './dispute.js';
import { disputeRepository } from './dispute-repository.js';
import { lockKnownUser } from './lock-known-user.js';
import type { BillingEvent } from './provider.js';
import { supersedes } from './state-table.js';

/** Stores the reported state of a dispute, and announces its beginning and its end. */
export type ApplyDispute = (
  tx: Queryable,
  event: BillingEvent,
  dispute: DisputeSnapshot,
) => Promise<EventOutcome>;

export function createApplyDispute({ emit }: { readonly emit: EmitIntegratorEvent }): ApplyDispute {
  return async (tx, { provider, occurredAt, id: eventId }, dispute) => {
    if (!(await lockKnownUser(tx, dispute.userId))) return 'unknown';
    const known = await disputeRepository.find(tx, provider, dispute.providerDisputeId);
    const recencyOf = (at: Date, id: string) => ({ occurredAtMs: at.getTime(), progress: [], eventId: id });
    const isLate =
      known !== undefined &&
      !supersedes(
        DISPUTE_TABLE,
        { state: known.status, recency: recencyOf(known.occurredAt, known.eventId) },
        { state: dispute.status, recency: recencyOf(occurredAt, eventId) },
      );
    if (isLate) return 'late';
    await disputeRepository.save(tx, { provider, occurredAt, eventId }, dispute);
    if (known?.status !== dispute.status) {
      await recordDispute(tx, dispute);
      const type = dispute.status === 'open' ? 'payment.disputed' : 'payment.dispute_closed';
      await emit(tx, dispute.userId, type, { dispute: disputeRecord(dispute) });
    }
    return 'applied';
  };
}

function disputeRecord({ openedAt, userId: _, providerDisputeId: id, ...dispute }: DisputeSnapshot) {
  return { id, ...dispute, openedAt: openedAt.toISOString() };
}
