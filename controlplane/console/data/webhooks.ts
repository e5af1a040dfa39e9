import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { keepFormer, queryOf, useChange } from './queries';
import { request } from './request';

/** Events that an endpoint can receive. The client's type ensures that the list is complete. */
const EVENT_TYPES: Readonly<Record<Schemas.EventType, true>> = {
  'domain.verified': true,
  'domain.proof_missing': true,
  'domain.unverified': true,
  'redirect.created': true,
  'redirect.updated': true,
  'redirect.deleted': true,
  'redirect.taken_down': true,
  'rule.created': true,
  'rule.updated': true,
  'rule.deleted': true,
  'draft.failed': true,
  'import.finished': true,
  'destination.broken': true,
  'destination.recovered': true,
  'certificate.issued': true,
  'certificate.failed': true,
  'certificate.expiring': true,
  'usage.approaching_limit': true,
  'usage.limit_reached': true,
  'plan.excess_redirects': true,
  'subscription.confirmed': true,
  'subscription.canceled': true,
  'subscription.revoked': true,
  'payment.failed': true,
  'payment.disputed': true,
  'payment.dispute_closed': true,
};
export const EVENTS = Object.keys(EVENT_TYPES);

interface EndpointChanges {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly paused?: boolean;
}

const endpointsKey = ['webhooks', 'endpoints'];
const deliveriesKey = (id: string) => ['webhooks', 'deliveries', id];
const DELIVERIES_MS = 5_000;

export const useEndpoints = () => useQuery(queryOf(endpointsKey, '/webhook-endpoints'));

export const useEndpointChanges = () => ({
  create: useChange(
    (body: { readonly url: string; readonly events: readonly string[] }) =>
      request('POST', '/webhook-endpoints', { body }),
    endpointsKey,
  ),
  update: useChange(
    ({ id, changes }: { readonly id: string; readonly changes: EndpointChanges }) =>
      request('PATCH', '/webhook-endpoints/{id}', { params: { id }, body: changes }),
    endpointsKey,
  ),
  /** Creates a new secret. For a day, messages are also signed with the old one. */
  rotate: useChange((id: string) =>
    request('POST', '/webhook-endpoints/{id}/rotate-secret', { params: { id } }),
  ),
  remove: useChange(
    (id: string) => request('DELETE', '/webhook-endpoints/{id}', { params: { id } }),
    endpointsKey,
  ),
});

/** Reads the deliveries to an endpoint, and refreshes them while they are shown. */
export function useDeliveries(id: string, page: number) {
  return useQuery({
    ...queryOf([...deliveriesKey(id), page], '/webhook-endpoints/{id}/deliveries', {
      params: { id },
      query: { page },
    }),
    refetchInterval: DELIVERIES_MS,
    placeholderData: keepFormer,
  });
}

/** Returns the changes that add deliveries to an endpoint. */
export const useDeliveryChanges = (endpointId: string) => ({
  sendTest: useChange(
    () => request('POST', '/webhook-endpoints/{id}/test', { params: { id: endpointId } }),
    deliveriesKey(endpointId),
  ),
  resend: useChange(
    (id: string) => request('POST', '/webhook-deliveries/{id}/resend', { params: { id } }),
    deliveriesKey(endpointId),
  ),
});
