import type { StateTable } from './state-table.js';

export const TRANSACTION_STATUSES = [
  'pending',
  'failed',
  'succeeded',
  'partially_refunded',
  'refunded',
] as const;

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/**
 * A charge is tried, possibly fails and is tried again, succeeds, and may be given back, in part and then wholly.
 * None of these is taken back.
 */
// biome-ignore format: a table is read by its columns
export const TRANSACTION_TABLE: StateTable<TransactionStatus> = {
  // reported:           pending           failed           succeeded           partially_refunded           refunded
  pending:            { pending: 'newer', failed: 'take',  succeeded: 'take',  partially_refunded: 'take',  refunded: 'take' },
  failed:             { pending: 'keep',  failed: 'newer', succeeded: 'take',  partially_refunded: 'take',  refunded: 'take' },
  succeeded:          { pending: 'keep',  failed: 'keep',  succeeded: 'newer', partially_refunded: 'take',  refunded: 'take' },
  partially_refunded: { pending: 'keep',  failed: 'keep',  succeeded: 'keep',  partially_refunded: 'newer', refunded: 'take' },
  refunded:           { pending: 'keep',  failed: 'keep',  succeeded: 'keep',  partially_refunded: 'keep',  refunded: 'newer' },
};
