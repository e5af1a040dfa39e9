import { asMembers, membersFor } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { TransactionSnapshot } from './provider.js';

/** A stored charge. */
export interface Transaction extends TransactionSnapshot {
  readonly id: string;
  readonly provider: string;
}

/** A charge with the report of its state. */
export interface StoredTransaction extends Transaction {
  readonly occurredAt: Date;
  readonly eventId: string;
}

const COLUMNS = `id, user_id, subscription_id, plan_id, provider, provider_transaction_id, type, status, amount,
  currency, tax_amount, refunded_amount, paid_at, refunded_at, failed_at, receipt_url, invoice_url, occurred_at,
  event_id, created_at`;
const SELECTED = asMembers(COLUMNS);

/** All SQL about transactions. */
export const transactionRepository = {
  async find(
    source: Queryable,
    provider: string,
    providerTransactionId: string,
  ): Promise<StoredTransaction | undefined> {
    const [row] = await source.query<StoredTransaction>(
      `SELECT ${SELECTED} FROM transactions WHERE provider = $1 AND provider_transaction_id = $2`,
      [provider, providerTransactionId],
    );
    return row;
  },

  /** Returns one page, newest first, and the number of all. */
  async pageOfUser(
    source: Queryable,
    userId: string,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ transactions: Transaction[]; total: number }> {
    const rows = await source.query<StoredTransaction>(
      `SELECT ${SELECTED} FROM transactions WHERE user_id = $1 ORDER BY created_at DESC, id DESC
       LIMIT $2 OFFSET $3`,
      [userId, limit, offset],
    );
    const [counted] = await source.query<{ total: number }>(
      'SELECT count(*) AS total FROM transactions WHERE user_id = $1',
      [userId],
    );
    return { transactions: rows, total: counted?.total ?? 0 };
  },

  /** Returns the newest paid charge of a subscription that was not refunded. */
  async lastPaid(source: Queryable, subscriptionId: string): Promise<StoredTransaction | undefined> {
    const [row] = await source.query<StoredTransaction>(
      `SELECT ${SELECTED} FROM transactions WHERE subscription_id = $1 AND status = 'succeeded'
       ORDER BY created_at DESC, id DESC LIMIT 1`,
      [subscriptionId],
    );
    return row;
  },

  /**
   * Returns the due time of the first failed charge for a period after the last paid one; undefined without one. A
   * declined change of plan is no debt.
   */
  async firstUnpaidCycle(
    source: Queryable,
    provider: string,
    subscriptionId: string,
  ): Promise<Date | undefined> {
    const [row] = await source.query<{ due_at: Date | null }>(
      `SELECT min(created_at) AS due_at FROM transactions
       WHERE provider = $1 AND subscription_id = $2 AND type = 'subscription_cycle' AND status = 'failed'
         AND created_at > COALESCE(
           (SELECT max(created_at) FROM transactions WHERE provider = $1 AND subscription_id = $2
              AND status IN ('succeeded', 'partially_refunded', 'refunded')), '-infinity')`,
      [provider, subscriptionId],
    );
    return row?.due_at ?? undefined;
  },

  /** Stores a report. */
  async save(tx: Queryable, report: Omit<StoredTransaction, 'id'>): Promise<void> {
    await tx.query(
      `INSERT INTO transactions (${COLUMNS})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
       ON CONFLICT (provider, provider_transaction_id) DO UPDATE SET subscription_id = $3, plan_id = $4,
         type = $7, status = $8, amount = $9, currency = $10, tax_amount = $11, refunded_amount = $12,
         paid_at = $13, refunded_at = $14, failed_at = $15, receipt_url = $16, invoice_url = $17,
         occurred_at = $18, event_id = $19, created_at = $20`,
      membersFor(COLUMNS, { ...report, id: newId() }),
    );
  },
};
