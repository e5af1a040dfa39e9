import { useQuery } from '@tanstack/preact-query';
import { queryOf, useChange, useRefresh } from './queries';
import { redirectKeys } from './redirects';
import { request } from './request';

const CHECK_MS = 10_000;
const CERTIFICATE_MS = 10_000;
const HEALTH_MS = 30_000;

/** Reads the DNS records of a domain. Repeats while the page is open and the domain is not verified. */
export function useVerification(domain: string, id: string, isVerified: boolean) {
  const refresh = useRefresh(redirectKeys.one(id));
  return useQuery({
    queryKey: ['verification', domain],
    async queryFn({ signal }) {
      const report = await request('POST', '/verify-domain', { body: { domain }, signal });
      if (report.isVerified) void refresh();
      return report;
    },
    enabled: !isVerified,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.isVerified ? false : CHECK_MS),
  });
}

/** Reads the certificate of a host, with the DNS records that its issuance needs. */
export function useCertificate(host: string, isThere: boolean) {
  return useQuery({
    ...queryOf(['certificate', host], '/certificates/{host}', { params: { host } }),
    enabled: isThere,
    refetchInterval: ({ state }) => (state.data?.state === 'issued' ? false : CERTIFICATE_MS),
  });
}

export function useCertificateRetry(host: string) {
  return useChange(
    () => request('POST', '/certificates/{host}/retry', { params: { host } }),
    ['certificate', host],
  );
}

/** Reads the DNS record that verifies all hosts in the zone of a domain. It does not change. */
export function useZoneProof(domain: string) {
  return useQuery({
    ...queryOf(['zone-proof', domain], '/domains/{domain}/proof', { params: { domain } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads whether the destinations of a redirect work. */
export function useHealth(id: string) {
  return useQuery({
    ...queryOf(['health', id], '/redirects/{id}/health', { params: { id } }),
    refetchInterval: HEALTH_MS,
  });
}
