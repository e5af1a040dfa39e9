import { type Html, html, NOTHING } from '../../../http/pages/html.js';
import { type Page, wayBack } from '../../../http/pages/page.js';
import type { Plan } from '../../../plan.js';
import type { Checkout } from '../checkout-repository.js';
import { money } from './money.js';

export interface CheckoutPage {
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
