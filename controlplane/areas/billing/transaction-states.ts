import type { StateTable } from './state-table.js';

/** Statuses that the API shows. */
export const TRANSACTION_STATUSES = [
  'pending',
  'failed',
  'succeeded',
  'partially_refunded',
  'refunded',
] as const;

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** A charge that is cancelled before its payment is `void`. The API has no word for this and shows `failed`. */
export type TransactionState = TransactionStatus | 'void';

/**
 * A charge is pending, may fail and be repeated, and is then void or succeeds. A paid charge can be refunded, in part
 * and then wholly. No step is reverted.
 */
// biome-ignore format: a table is read by its columns
export const TRANSACTION_TABLE: StateTable<TransactionState> = {
  // reported:           pending           failed           void           succeeded           partially_refunded           refunded
  pending:            { pending: 'newer', failed: 'take',  void: 'take',  succeeded: 'take',  partially_refunded: 'take',  refunded: 'take' },
  failed:             { pending: 'keep',  failed: 'newer', void: 'take',  succeeded: 'take',  partially_refunded: 'take',  refunded: 'take' },
  void:               { pending: 'keep',  failed: 'keep',  void: 'newer', succeeded: 'take',  partially_refunded: 'take',  refunded: 'take' },
  succeeded:          { pending: 'keep',  failed: 'keep',  void: 'keep',  succeeded: 'newer', partially_refunded: 'take',  refunded: 'take' },
  partially_refunded: { pending: 'keep',  failed: 'keep',  void: 'keep',  succeeded: 'keep',  partially_refunded: 'newer', refunded: 'take' },
  refunded:           { pending: 'keep',  failed: 'keep',  void: 'keep',  succeeded: 'keep',  partially_refunded: 'keep',  refunded: 'newer' },
};
