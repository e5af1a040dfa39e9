import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { NumberedPage, WebhookDelivery, WebhookEndpoint } from './account-records';
import { request } from './request';

/** Events that an endpoint can hear of. */
export const EVENTS = [
  'domain.verified',
  'domain.proof_missing',
  'domain.unverified',
  'redirect.taken_down',
  'certificate.issued',
  'certificate.failed',
  'subscription.confirmed',
  'subscription.canceled',
  'subscription.revoked',
  'payment.failed',
] as const;

const endpointsKey = ['webhooks', 'endpoints'];
const DELIVERIES_MS = 5_000;

export function useEndpoints() {
  return useQuery({
    queryKey: endpointsKey,
    queryFn: ({ signal }) =>
      request<{ endpoints: readonly WebhookEndpoint[] }>('GET', '/webhook-endpoints', { signal }),
  });
}

export function useEndpointChanges() {
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: endpointsKey });
  return {
    create: useMutation({
      mutationFn: (body: { readonly url: string; readonly events: readonly string[] }) =>
        request<WebhookEndpoint & { readonly secret: string }>('POST', '/webhook-endpoints', { body }),
      onSuccess: refresh,
    }),
    remove: useMutation({
      mutationFn: (id: string) => request('DELETE', '/webhook-endpoints/{id}', { params: { id } }),
      onSuccess: refresh,
    }),
  };
}

/** Reads the deliveries to an endpoint, and again while they are shown. */
export function useDeliveries(id: string) {
  return useQuery({
    queryKey: ['webhooks', 'deliveries', id],
    queryFn: ({ signal }) =>
      request<NumberedPage<WebhookDelivery>>('GET', '/webhook-endpoints/{id}/deliveries', {
        params: { id },
        signal,
      }),
    refetchInterval: DELIVERIES_MS,
  });
}

export function useResend(endpointId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => request('POST', '/webhook-deliveries/{id}/resend', { params: { id } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', endpointId] }),
  });
}
