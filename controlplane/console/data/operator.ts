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

const CERTIFICATES_MS = 60_000;
const CERTIFICATES_PER_PAGE = 200;
const MAX_CERTIFICATE_PAGES = 10;
const ENDS_SOON_MS = 21 * 86_400_000;

export interface CertificatesToCheck {
  /** Those that end within three weeks or have no working certificate, the first end first. */
  readonly certificates: readonly Certificate[];
  readonly read: number;
  /** Whether there are more than were read. */
  readonly isCut: boolean;
}

/** Certificates of the operator's own redirects that need a look. The API lists no certificates of other users. */
export function useCertificatesToCheck() {
  return useQuery({
    queryKey: ['operator', 'certificates'],
    async queryFn({ signal }): Promise<CertificatesToCheck> {
      const all: Certificate[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < MAX_CERTIFICATE_PAGES && cursor !== null; page += 1) {
        const answer: CursorPage<Certificate> = await request('GET', '/certificates', {
          query: { limit: CERTIFICATES_PER_PAGE, cursor },
          signal,
        });
        all.push(...answer.data);
        cursor = answer.page.nextCursor;
      }
      const certificates = all.filter(needsLook).sort((one, other) => endOf(one) - endOf(other));
      return { certificates, read: all.length, isCut: cursor !== null };
    },
    refetchInterval: CERTIFICATES_MS,
  });
}

const endOf = ({ notAfter }: Certificate) => (notAfter === null ? 0 : Date.parse(notAfter));

function needsLook(certificate: Certificate): boolean {
  const { state, lastError } = certificate;
  return state === 'failed' || lastError !== null || endOf(certificate) < Date.now() + ENDS_SOON_MS;
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
