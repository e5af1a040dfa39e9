import { useQuery } from '@tanstack/preact-query';
import { queryOf, useChange } from './queries';
import { request } from './request';

export const accountKey = ['account'] as const;

/** The user of the session, with plan and usage. */
export const useAccount = () => useQuery(queryOf(accountKey, '/auth/user'));

export const useBilling = () => useQuery(queryOf(['billing'], '/payment/billing'));
export const usePlans = () => useQuery(queryOf(['plans'], '/user/plans'));

/** Creates a payment page for a plan and navigates to it. */
export function useCheckout() {
  return useChange(async (planId: string) => {
    const { data } = await request('POST', '/payment/checkout', { body: { planId } });
    location.assign(data.checkoutUrl);
  });
}

/** Creates the page for payment methods and invoices, and navigates to it. */
export function usePortal() {
  return useChange(async () => {
    const { data } = await request('POST', '/payment/portal', { body: {} });
    location.assign(data.portalUrl);
  });
}
