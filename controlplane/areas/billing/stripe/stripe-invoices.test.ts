import { expect, it } from 'vitest';
import { invoiceCharge, invoicedPrice, transactionSnapshot } from './stripe-invoices.js';
import { chargeObject, invoiceObject, START } from './stripe-objects.fixture.js';

const at = (seconds: number) => new Date(seconds * 1000);
const context = { planId: 'pro', charge: undefined, attemptedAt: at(START + 5) };

it('reads an invoice that is paid', () => {
  const invoice = invoiceObject({ total_taxes: [{ amount: 300 }, { amount: 163 }] });
  expect(transactionSnapshot(invoice, context)).toEqual({
    providerTransactionId: 'in_1',
    userId: 'user-1',
    subscriptionId: 'sub_1',
    planId: 'pro',
    type: 'payment',
    status: 'succeeded',
    amount: 2900,
    currency: 'usd',
    taxAmount: 463,
    refundedAmount: 0,
    paidAt: at(START + 2),
    refundedAt: null,
    failedAt: null,
    receiptUrl: 'https://invoice.stripe.example/in_1',
    invoiceUrl: 'https://invoice.stripe.example/in_1',
    createdAt: at(START),
  });
});

const open = { status: 'open', amount_paid: 0 };

it.each([
  ['is not tried yet', { ...open, attempt_count: 0 }, 'pending', null],
  ['was declined', { ...open, attempt_count: 1 }, 'failed', context.attemptedAt],
  ['is given up', { ...open, status: 'uncollectible', attempt_count: 4 }, 'failed', context.attemptedAt],
  ['is void', { ...open, status: 'void', attempt_count: 1 }, 'void', context.attemptedAt],
])('knows one that %s', (_what, members, status, failedAt) => {
  const amounts = { amount: 2900, paidAt: null, receiptUrl: null };
  expect(transactionSnapshot(invoiceObject(members), context)).toMatchObject({
    status,
    failedAt,
    ...amounts,
  });
});

it.each([
  [0, 'succeeded', null],
  [1, 'partially_refunded', at(START + 90)],
  [2899, 'partially_refunded', at(START + 90)],
  [2900, 'refunded', at(START + 90)],
])('with %i given back is %s', (amount_refunded, status, refundedAt) => {
  const charge = invoiceCharge(chargeObject({ amount_refunded }), at(START + 90));
  expect(transactionSnapshot(invoiceObject(), { ...context, charge })).toMatchObject({
    status,
    refundedAmount: amount_refunded,
    refundedAt,
    receiptUrl: 'https://pay.stripe.example/receipts/ch_1',
  });
});

it('takes the time of the last refund from the charge where it says', () => {
  const refunds = { data: [{ created: START + 50 }, { created: START + 20 }] };
  const charge = chargeObject({ amount_refunded: 2, refunds });
  expect(invoiceCharge(charge, at(START + 90)).refundedAt).toEqual(at(START + 50));
});

it('tells a later cycle from what was bought', () => {
  const invoice = invoiceObject({ billing_reason: 'subscription_cycle' });
  expect(transactionSnapshot(invoice, context)?.type).toBe('subscription_cycle');
});

it.each([
  ['a draft', invoiceObject({ status: 'draft' })],
  ['over nothing', invoiceObject({ amount_due: 0, amount_paid: 0 })],
  ['for no subscription', invoiceObject({ parent: null })],
])('leaves one alone that is %s', (_what, invoice) => {
  expect(transactionSnapshot(invoice, context)).toBeUndefined();
});

it('ignores an invoice for a foreign price', () => {
  expect(transactionSnapshot(invoiceObject(), { ...context, planId: undefined })).toBeUndefined();
});

it('uses the new price when a change credits the rest of the old one', () => {
  const line = (amount: number, price: string) => ({ amount, pricing: { price_details: { price } } });
  const lines = { data: [line(-1400, 'price_pro'), line(4950, 'price_business')] };
  expect(invoicedPrice(invoiceObject({ lines }))).toBe('price_business');
  expect(invoicedPrice(invoiceObject({ lines: { data: [] } }))).toBeUndefined();
});
