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
export const TRANSACTION_STEPS: Readonly<Record<TransactionState, number>> = {
  pending: 0,
  failed: 1,
  void: 2,
  succeeded: 3,
  partially_refunded: 4,
  refunded: 5,
};
