import { type Static, Type } from 'typebox';
import { nullable, recordOf, time } from '../../http/schema-parts.js';
import type { Plan } from '../../plan.js';
import { TRANSACTION_STATUSES, type TransactionState, type TransactionStatus } from './billing-states.js';
import type { Transaction } from './transaction-repository.js';

const amount = Type.Integer({ description: 'Amount in the smallest currency unit.' });

export const TransactionSchema = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    subscriptionId: Type.String(),
    planId: Type.String(),
    provider: Type.String({ description: 'Name of the payment provider.' }),
    providerTransactionId: Type.String(),
    type: Type.Enum(['payment', 'refund', 'subscription_cycle', 'setup_fee']),
    status: Type.Enum([...TRANSACTION_STATUSES]),
    amount,
    currency: Type.String({ description: 'ISO 4217 code in lower case.' }),
    taxAmount: amount,
    refundedAmount: amount,
    paidAt: nullable(time),
    refundedAt: nullable(time),
    failedAt: nullable(time),
    receiptUrl: nullable(Type.String()),
    invoiceUrl: nullable(Type.String()),
    plan: Type.Object({
      id: Type.String(),
      name: Type.String(),
      pricing: Type.Object({ amount, currency: Type.String(), interval: Type.String() }),
    }),
    createdAt: time,
  },
  { title: 'Transaction' },
);

export type TransactionRecord = Static<typeof TransactionSchema>;

/** A transaction as the API shows it. */
export function transactionRecord(transaction: Transaction, plan: Plan): TransactionRecord {
  const { amount, currency, interval } = plan.pricing;
  return recordOf(TransactionSchema, {
    ...transaction,
    status: statusOf(transaction.status),
    plan: { id: plan.id, name: plan.name, pricing: { amount, currency, interval } },
  });
}

function statusOf(state: TransactionState): TransactionStatus {
  return state === 'void' ? 'failed' : state;
}
