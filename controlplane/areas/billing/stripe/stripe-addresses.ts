import { withCheckoutId } from '../checkout-return.js';

/** Where users are led to, besides Stripe's own pages. */
export interface StripeAddresses {
  /** Default return address of users. */
  back(): string;
  /** Where they come back to by default after a checkout: what is there can ask by its id how it stands. */
  afterCheckout(checkoutId: string): string;
  /** Where a plan is changed. Whoever knows the id may use the page. */
  change(checkoutId: string): string;
}

export interface StripeAddressesOptions {
  /** The API's, as its users reach it: without a slash at the end. */
  readonly apiAddress: () => string;
  readonly dashboardUrl: string | undefined;
}

export function stripeAddresses({ apiAddress, dashboardUrl }: StripeAddressesOptions): StripeAddresses {
  // Who has no dashboard has the documentation at least.
  const back = () => dashboardUrl ?? `${apiAddress()}/docs`;
  return {
    back,
    afterCheckout: (checkoutId) => withCheckoutId(back(), checkoutId),
    change: (checkoutId) => `${apiAddress()}/stripe/changes/${checkoutId}`,
  };
}
