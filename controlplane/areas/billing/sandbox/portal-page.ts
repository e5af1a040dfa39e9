import { type Html, html, NOTHING } from '../../../http/pages/html.js';
import { type Page, wayBack } from '../../../http/pages/page.js';
import type { Plan } from '../../../plan.js';
import { accessEnd, type Subscription } from '../subscription.js';
import { dayOf, statusOf } from '../subscription-record.js';
import { isRenewing, isRunning } from '../subscription-states.js';
import type { Transaction } from '../transaction-repository.js';
import { money } from './money.js';
import type { PortalAction } from './sandbox-actions.js';

export interface PortalPage {
  readonly subscription: Subscription | undefined;
  readonly plan: Plan;
  readonly transactions: readonly Transaction[];
  /** Last action, or `nothing` if it was impossible. Other values show no notice. */
  readonly done: string | undefined;
  readonly returnUrl: string | undefined;
  readonly now: Date;
}

/** Renders the page on which a user manages a subscription. */
export function portalPage(page: PortalPage): Page {
  const { subscription, transactions, returnUrl } = page;
  const notice = noticeOf(page);
  const body = html`${notice === undefined ? NOTHING : html`<p class="notice" role="status">${notice}</p>`}
${subscription === undefined ? html`<p>There is no subscription.</p>` : subscriptionBody(subscription, page)}
<h2>Payments</h2>
${transactions.length === 0 ? html`<p>None yet.</p>` : html`<ul>${transactions.map(item)}</ul>`}
${wayBack(returnUrl)}`;
  return { title: 'Your billing', body, isSandbox: true };
}

export const EXPIRED_PORTAL: Page = {
  title: 'This page has expired',
  body: html`<p>Ask for a new one where you came from.</p>`,
  isSandbox: true,
};

/** Describes the outcome of the last action, by the current state. */
function noticeOf({ done, subscription, plan, transactions, now }: PortalPage): string | undefined {
  if (done === 'nothing') return 'Nothing was changed: there was nothing to do that to.';
  if (subscription === undefined) return undefined;
  const { currentPeriodEnd, accessUntil } = subscription;
  const access =
    accessUntil !== null && accessUntil <= now
      ? `Access to the plan ${plan.name} has ended.`
      : `Access to the plan ${plan.name} goes on until ${dayOf(accessUntil ?? currentPeriodEnd)}.`;
  switch (done) {
    case 'renew':
      return `The payment succeeded. The subscription renews next on ${dayOf(currentPeriodEnd)}.`;
    case 'fail_payment':
      return `The payment failed. ${access}`;
    case 'refund':
      return refundNotice(transactions);
    case 'cancel':
      return `The subscription is cancelled. ${access}`;
    default:
      return undefined;
  }
}

function refundNotice(transactions: readonly Transaction[]): string {
  const refunds = transactions.filter(({ refundedAt }) => refundedAt !== null);
  const [last] = refunds.sort((one, other) => Number(other.refundedAt) - Number(one.refundedAt));
  return last === undefined
    ? 'The payment was refunded.'
    : `${money(last.refundedAmount, last.currency)} were refunded.`;
}

function labelOf(action: PortalAction, subscription: Subscription, { plan, now }: PortalPage): string {
  switch (action) {
    case 'renew':
      return subscription.pastDueSince === null ? 'Renew now' : 'Pay what is owed';
    case 'fail_payment':
      return 'Let the next payment fail';
    case 'refund':
      return 'Refund the last payment';
    case 'cancel': {
      // A subscription that is past due keeps access only during its grace period.
      const end = accessEnd({ ...subscription, state: 'canceled' }, plan);
      if (subscription.pastDueSince === null || end === null) return 'Cancel at the end of the period';
      return end <= now ? 'Cancel now' : `Cancel, and keep access until ${dayOf(end)}`;
    }
  }
}

function subscriptionBody(subscription: Subscription, page: PortalPage): Html {
  const { state, currentPeriodEnd } = subscription;
  const actions: readonly PortalAction[] = isRenewing(state)
    ? ['renew', 'fail_payment', 'refund', 'cancel']
    : ['refund'];
  const end = html`<dt>Current period ends</dt><dd>${dayOf(currentPeriodEnd)}</dd>`;
  const buttons = actions.map(
    (action) => html`<button name="action" value="${action}">${labelOf(action, subscription, page)}</button>
`,
  );
  return html`<dl>
<dt>Plan</dt><dd>${page.plan.name}</dd>
<dt>Status</dt><dd>${statusOf(subscription).replace('_', ' ')}</dd>
${isRunning(state) ? end : NOTHING}
</dl>
<form method="post">
${buttons}</form>`;
}

function item(transaction: Transaction): Html {
  const { createdAt, amount, currency, status, receiptUrl } = transaction;
  const receipt = receiptUrl === null ? NOTHING : html` <a href="${receiptUrl}">Receipt</a>`;
  return html`<li>${dayOf(createdAt)}: ${money(amount, currency)}, ${status.replace('_', ' ')}${receipt}</li>`;
}

/** Purpose and outcome of a payment. */
export function receiptPage(transaction: Transaction, plan: Plan): Page {
  const { amount, currency, taxAmount, refundedAmount, paidAt, status } = transaction;
  return {
    title: 'Receipt',
    isSandbox: true,
    body: html`<dl>
<dt>Number</dt><dd>${transaction.providerTransactionId}</dd>
<dt>Plan</dt><dd>${plan.name}</dd>
<dt>Amount</dt><dd>${money(amount, currency)}</dd>
<dt>Tax</dt><dd>${money(taxAmount, currency)}</dd>
<dt>Refunded</dt><dd>${money(refundedAmount, currency)}</dd>
<dt>Paid</dt><dd>${paidAt === null ? 'not paid' : dayOf(paidAt)}</dd>
<dt>Status</dt><dd>${status.replace('_', ' ')}</dd>
</dl>`,
  };
}
