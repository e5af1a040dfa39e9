import type { Queryable } from '../../storage/postgres/database.js';
import type { DisputeSnapshot, DisputeState } from './dispute.js';

export interface KnownDispute {
  readonly status: DisputeState;
  readonly occurredAt: Date;
  readonly eventId: string;
}

/** All SQL about disputed payments. */
export const disputeRepository = {
  async find(source: Queryable, provider: string, id: string): Promise<KnownDispute | undefined> {
    const [row] = await source.query<KnownDispute>(
      `SELECT status, occurred_at AS "occurredAt", event_id AS "eventId" FROM payment_disputes
       WHERE provider = $1 AND id = $2`,
      [provider, id],
    );
    return row;
  },

  async save(
    tx: Queryable,
    report: { readonly provider: string; readonly occurredAt: Date; readonly eventId: string },
    dispute: DisputeSnapshot,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO payment_disputes (provider, id, user_id, subscription_id, provider_transaction_id, status, amount,
         currency, reason, opened_at, occurred_at, event_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (provider, id) DO UPDATE SET status = EXCLUDED.status, amount = EXCLUDED.amount,
         reason = EXCLUDED.reason, occurred_at = EXCLUDED.occurred_at, event_id = EXCLUDED.event_id`,
      [
        report.provider,
        dispute.providerDisputeId,
        dispute.userId,
        dispute.subscriptionId,
        dispute.providerTransactionId,
        dispute.status,
        dispute.amount,
        dispute.currency,
        dispute.reason,
        dispute.openedAt,
        report.occurredAt,
        report.eventId,
      ],
    );
  },
};
