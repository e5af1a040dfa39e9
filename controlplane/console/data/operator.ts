import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { DataplaneOverview, Takedown, TakedownPage, UserPage } from './account-records';
import { keepFormer, pagesOf } from './pages';
import type { Certificate, CursorPage } from './records';
import { request } from './request';

const OVERVIEW_MS = 5_000;

export function useDataplanes() {
  return useQuery({
    queryKey: ['operator', 'dataplanes'],
    queryFn: ({ signal }) => request<DataplaneOverview>('GET', '/admin/dataplanes', { signal }),
    refetchInterval: OVERVIEW_MS,
  });
}

/** A certificate of any user that ends soon or fails. */
export interface CertificateToCheck extends Certificate {
  /** Owner of the redirect; null for a certificate in TLS_CERTIFICATES_DIR. */
  readonly userId: string | null;
  readonly email: string | null;
}

/** Reads the certificates of all users that end soon, fail or are missing, the first end first. */
export function useCertificatesToCheck(search: string) {
  return useInfiniteQuery({
    ...pagesOf<CursorPage<CertificateToCheck>>(['operator', 'certificates', search], '/admin/certificates', {
      query: { search },
    }),
    placeholderData: keepFormer,
  });
}

export function useUsers(search: string) {
  return useInfiniteQuery({
    ...pagesOf<UserPage>(['operator', 'users', search], '/admin/users', { query: { search } }),
    placeholderData: keepFormer,
  });
}

export function useUserChanges() {
  const client = useQueryClient();
  const onSuccess = () => void client.invalidateQueries({ queryKey: ['operator', 'users'] });
  return {
    suspend: useMutation({
      mutationFn: ({ id, reason }: { readonly id: string; readonly reason: string }) =>
        request('POST', '/admin/users/{id}/suspend', { params: { id }, body: { reason } }),
      onSuccess,
    }),
    resume: useMutation({
      mutationFn: (id: string) => request('POST', '/admin/users/{id}/resume', { params: { id } }),
      onSuccess,
    }),
  };
}

export function useTakedowns() {
  return useInfiniteQuery(pagesOf<TakedownPage>(['operator', 'takedowns'], '/admin/takedowns'));
}

export interface NewTakedown {
  readonly host?: string;
  readonly destinationHost?: string;
  readonly reason: string;
}

export function useTakedownChanges() {
  const client = useQueryClient();
  const onSuccess = () => void client.invalidateQueries({ queryKey: ['operator', 'takedowns'] });
  return {
    create: useMutation({
      mutationFn: (body: NewTakedown) =>
        request<Takedown & { readonly redirects: number }>('POST', '/admin/takedowns', { body }),
      onSuccess,
    }),
    lift: useMutation({
      mutationFn: (id: string) => request('DELETE', '/admin/takedowns/{id}', { params: { id } }),
      onSuccess,
    }),
  };
}

export interface LogEntry {
  readonly id: string;
  readonly at: string;
  readonly operatorId: string;
  readonly operatorEmail: string | null;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** '' does not filter. */
export interface LogFilter {
  readonly action: string;
  readonly search: string;
  readonly since: string;
  readonly until: string;
}

/** Reads what operators did, newest first. */
export function useOperatorLog(filter: LogFilter) {
  return useInfiniteQuery({
    ...pagesOf<CursorPage<LogEntry>>(['operator', 'log', filter], '/admin/log', { query: { ...filter } }),
    placeholderData: keepFormer,
    staleTime: 0,
  });
}

export interface BrokenDestination {
  readonly url: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly failures: number;
  readonly failingSince: string;
  readonly redirectCount: number;
  /** The first of the redirects that lead there. */
  readonly redirects: readonly {
    readonly id: string;
    readonly fromDomain: string;
    readonly userId: string;
    readonly email: string | null;
  }[];
}

/** Reads the broken destinations of all users, the last to break first. */
export function useBrokenDestinations(search: string) {
  return useInfiniteQuery({
    ...pagesOf<CursorPage<BrokenDestination>>(['operator', 'destinations', search], '/admin/destinations', {
      query: { search },
    }),
    placeholderData: keepFormer,
  });
}

/** Takes a domain from its owner. */
export function useDomainRelease() {
  return useMutation({
    mutationFn: (domain: string) =>
      request<{ readonly message: string }>('POST', '/admin/domains/{domain}/release', {
        params: { domain },
      }),
  });
}
