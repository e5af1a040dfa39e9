import { useMutation, useQuery } from '@tanstack/preact-query';
import { request } from './request';

export function useBilling() {
  return useQuery({
    queryKey: ['billing'],
    queryFn: ({ signal }) => request('GET', '/payment/billing', { signal }),
  });
}

export function usePlans() {
  return useQuery({
    queryKey: ['plans'],
    queryFn: ({ signal }) => request('GET', '/user/plans', { signal }),
  });
}

/** Opens the payment page for a plan, and goes there. */
export function useCheckout() {
  return useMutation({
    async mutationFn(planId: string) {
      const { data } = await request('POST', '/payment/checkout', {
        body: { planId },
      });
      location.assign(data.checkoutUrl);
    },
  });
}

/** Opens the page where payment methods and invoices are managed, and goes there. */
export function usePortal() {
  return useMutation({
    async mutationFn() {
      const { data } = await request('POST', '/payment/portal', {
        body: {},
      });
      location.assign(data.portalUrl);
    },
  });
}
