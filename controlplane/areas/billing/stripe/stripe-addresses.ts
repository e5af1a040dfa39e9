import { withCheckoutId } from '../checkout-return.js';

/** Addresses that users visit beside Stripe's own pages. */
export type StripeAddresses = ReturnType<typeof stripeAddresses>;

export interface StripeAddressesOptions {
  /** Public address of the API, without a slash at the end. */
  readonly apiAddress: () => string;
  readonly dashboardUrl: string | undefined;
}

export function stripeAddresses({ apiAddress, dashboardUrl }: StripeAddressesOptions) {
  // Without a dashboard, the documentation is the default.
  const back = () => dashboardUrl ?? `${apiAddress()}/docs`;
  return {
    /** Default return address of users. */
    back,
    /** Default return address of a checkout. Its page can query the state by the id. */
    afterCheckout: (checkoutId: string): string => withCheckoutId(back(), checkoutId),
    /** Address that changes a plan. Anyone who knows the id can use it. */
    change: (checkoutId: string): string => `${apiAddress()}/stripe/changes/${checkoutId}`,
  };
}
