import { type Html, html, NOTHING } from '../../../http/pages/html.js';
import { type Page, wayBack } from '../../../http/pages/page.js';
import type { Plan } from '../../../plan.js';
import { isRenewing, isRunning } from '../billing-states.js';
import type { Checkout } from '../checkout-repository.js';
import { accessEnd, type Subscription } from '../subscription.js';
import { dayOf, statusOf } from '../subscription-record.js';
import type { Transaction } from '../transaction-repository.js';
import type { PortalAction } from './sandbox-actions.js';

interface PortalPage {
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

interface CheckoutPage {
  /** Current state of the checkout. */
  readonly checkout: Checkout;
  readonly plan: Plan;
  readonly isDeclined: boolean;
  /** Resources above the limits of the plan. */
  readonly overLimits: string | undefined;
  readonly dashboardUrl: string | undefined;
}

/** Renders the page on which a user pays for a plan. */
export function checkoutPage(page: CheckoutPage): Page {
  const { checkout, plan, dashboardUrl } = page;
  const given = checkout.status === 'complete' ? checkout.successUrl : checkout.cancelUrl;
  const back = given ?? dashboardUrl;
  const isSandbox = true;
  switch (checkout.status) {
    case 'open':
      return { title: `Subscribe to ${plan.name}`, body: openBody(page, back), isSandbox };
    case 'complete':
      return {
        title: `You are subscribed to ${plan.name}`,
        body: html`<p class="notice" role="status">The payment succeeded.</p>${wayBack(back)}`,
        isSandbox,
      };
    case 'expired':
      return {
        title: 'This checkout has expired',
        body: html`<p>Nothing was paid. Begin a new checkout to subscribe.</p>${wayBack(back)}`,
        isSandbox,
      };
  }
}

function openBody({ checkout, plan, isDeclined, overLimits }: CheckoutPage, back: string | undefined): Html {
  const { amount, currency, interval } = plan.pricing;
  const declined = html`<p class="notice" role="alert">The payment was declined. You can try again.</p>`;
  const trial = html`<dt>Trial</dt><dd>${checkout.trialDays} days before the first charge</dd>`;
  return html`${isDeclined ? declined : NOTHING}
<dl>
<dt>Plan</dt><dd>${plan.name}: ${plan.description}</dd>
<dt>Price</dt><dd>${money(amount, currency)} each ${interval}</dd>
${checkout.trialDays > 0 ? trial : NOTHING}
</dl>
${overLimits === undefined ? NOTHING : html`<p class="notice">${overLimits}</p>`}
<form method="post">
<button name="outcome" value="succeed">Pay</button>
<button name="outcome" value="decline">Let the card be declined</button>
</form>
${wayBack(back)}`;
}

/** Formats `2900` of `usd` as `29.00 USD`. */
function money(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
    .maximumFractionDigits;
  const text = String(amount).padStart((digits ?? 2) + 1, '0');
  return digits === 0
    ? `${text} ${code}`
    : `${text.slice(0, -(digits ?? 2))}.${text.slice(-(digits ?? 2))} ${code}`;
}
