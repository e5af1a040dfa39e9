import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { redirectKeys } from './redirects';
import { request } from './request';

const CHECK_MS = 10_000;
const CERTIFICATE_MS = 10_000;

/** Reads the DNS records of a domain. Repeats while the page is open and the domain is not verified. */
export function useVerification(domain: string, id: string, isVerified: boolean) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ['verification', domain],
    async queryFn({ signal }) {
      const report = await request('POST', '/verify-domain', {
        body: { domain },
        signal,
      });
      if (report.isVerified) void client.invalidateQueries({ queryKey: redirectKeys.one(id) });
      return report;
    },
    enabled: !isVerified,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.isVerified ? false : CHECK_MS),
  });
}

/** The certificate of a host, with the DNS records that it waits for. */
export function useCertificate(host: string, isThere: boolean) {
  return useQuery({
    queryKey: ['certificate', host],
    queryFn: ({ signal }) => request('GET', '/certificates/{host}', { params: { host }, signal }),
    enabled: isThere,
    refetchInterval: ({ state }) => (state.data?.state === 'issued' ? false : CERTIFICATE_MS),
  });
}

export function useCertificateRetry(host: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST', '/certificates/{host}/retry', { params: { host } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['certificate', host] }),
  });
}

/** The record that proves all hosts of the zone of a domain. It does not change. */
export function useZoneProof(domain: string) {
  return useQuery({
    queryKey: ['zone-proof', domain],
    queryFn: ({ signal }) => request('GET', '/domains/{domain}/proof', { params: { domain }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const HEALTH_MS = 30_000;

/** Whether the destinations of a redirect work. */
export function useHealth(id: string) {
  return useQuery({
    queryKey: ['health', id],
    queryFn: ({ signal }) => request('GET', '/redirects/{id}/health', { params: { id }, signal }),
    refetchInterval: HEALTH_MS,
  });
}
