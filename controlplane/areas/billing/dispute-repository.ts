import { asMembers, membersFor } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { DisputeSnapshot } from './provider.js';

/** A dispute with the report of its state. */
interface StoredDispute extends DisputeSnapshot {
  readonly provider: string;
  readonly occurredAt: Date;
  readonly eventId: string;
}

export type KnownDispute = Pick<StoredDispute, 'status' | 'occurredAt' | 'eventId'>;

const COLUMNS = `provider, id, user_id, subscription_id, provider_transaction_id, status, amount, currency, reason,
  opened_at, occurred_at, event_id`;

/** All SQL about disputed payments. */
export const disputeRepository = {
  async find(source: Queryable, provider: string, id: string): Promise<KnownDispute | undefined> {
    const [row] = await source.query<KnownDispute>(
      `SELECT ${asMembers('status, occurred_at, event_id')} FROM payment_disputes WHERE provider = $1 AND id = $2`,
      [provider, id],
    );
    return row;
  },

  async save(tx: Queryable, report: StoredDispute): Promise<void> {
    await tx.query(
      `INSERT INTO payment_disputes (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (provider, id) DO UPDATE SET status = EXCLUDED.status, amount = EXCLUDED.amount,
         reason = EXCLUDED.reason, occurred_at = EXCLUDED.occurred_at, event_id = EXCLUDED.event_id`,
      membersFor(COLUMNS, { ...report, id: report.providerDisputeId }),
    );
  },
};
