import type { Plan } from '../../accounts/plans.js';
import type { Subscription } from '../subscription.js';
import { statusOf } from '../subscription-record.js';
import { isRenewing, isRunning } from '../subscription-states.js';
import type { Transaction } from '../transaction-repository.js';
import { type Html, html, NOTHING } from './html.js';
import type { PortalAction } from './sandbox-actions.js';
import { money, type SandboxPage, wayBack } from './sandbox-page.js';

export interface PortalPage {
  readonly subscription: Subscription | undefined;
  readonly plan: Plan;
  readonly transactions: readonly Transaction[];
  readonly notice: string | undefined;
  readonly returnUrl: string | undefined;
}

/** The page on which a user sees to a subscription. */
export function portalPage({ subscription, plan, transactions, notice, returnUrl }: PortalPage): SandboxPage {
  const body = html`${notice === undefined ? NOTHING : html`<p class="notice" role="status">${notice}</p>`}
${subscription === undefined ? html`<p>There is no subscription.</p>` : subscriptionBody(subscription, plan)}
<h2>Payments</h2>
${transactions.length === 0 ? html`<p>None yet.</p>` : html`<ul>${transactions.map(item)}</ul>`}
${wayBack(returnUrl)}`;
  return { title: 'Your billing', body };
}

export const EXPIRED_PORTAL: SandboxPage = {
  title: 'This page has expired',
  body: html`<p>Ask for a new one where you came from.</p>`,
};

const LABELS: Readonly<Record<PortalAction, string>> = {
  renew: 'Renew now',
  fail_payment: 'Let the next payment fail',
  refund: 'Refund the last payment',
  cancel: 'Cancel at the end of the period',
};

function button(action: PortalAction): Html {
  return html`<button name="action" value="${action}">${LABELS[action]}</button>
`;
}

function subscriptionBody(subscription: Subscription, plan: Plan): Html {
  const { state, currentPeriodEnd } = subscription;
  const actions: readonly PortalAction[] = isRenewing(state)
    ? ['renew', 'fail_payment', 'refund', 'cancel']
    : ['refund'];
  const end = html`<dt>Current period ends</dt><dd>${currentPeriodEnd.toISOString().slice(0, 10)}</dd>`;
  return html`<dl>
<dt>Plan</dt><dd>${plan.name}</dd>
<dt>Status</dt><dd>${statusOf(subscription)}</dd>
${isRunning(state) ? end : NOTHING}
</dl>
<form method="post">
${actions.map(button)}</form>`;
}

function item(transaction: Transaction): Html {
  const { createdAt, amount, currency, status, receiptUrl } = transaction;
  const receipt = receiptUrl === null ? NOTHING : html` <a href="${receiptUrl}">Receipt</a>`;
  const day = createdAt.toISOString().slice(0, 10);
  return html`<li>${day}: ${money(amount, currency)}, ${status.replace('_', ' ')}${receipt}</li>`;
}

/** What a payment was for, and what became of it. */
export function receiptPage(transaction: Transaction, plan: Plan): SandboxPage {
  const { amount, currency, taxAmount, refundedAmount, paidAt, status } = transaction;
  return {
    title: 'Receipt',
    body: html`<dl>
<dt>Number</dt><dd>${transaction.providerTransactionId}</dd>
<dt>Plan</dt><dd>${plan.name}</dd>
<dt>Amount</dt><dd>${money(amount, currency)}</dd>
<dt>Tax</dt><dd>${money(taxAmount, currency)}</dd>
<dt>Refunded</dt><dd>${money(refundedAmount, currency)}</dd>
<dt>Paid</dt><dd>${paidAt?.toISOString().slice(0, 10) ?? 'not paid'}</dd>
<dt>Status</dt><dd>${status.replace('_', ' ')}</dd>
</dl>`,
  };
}
