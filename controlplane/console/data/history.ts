import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/preact-query';
import { keepFormer, pagesOf } from './pages';
import type { CursorPage, Redirect } from './records';
import { redirectKeys } from './redirects';
import { addressOf, request } from './request';

export interface ChangedBy {
  readonly userId: string | null;
  readonly email: string | null;
  readonly tokenId: string | null;
  readonly address: string | null;
}

/** A state that a redirect had after a change. */
export interface Version {
  readonly version: number;
  readonly at: string;
  readonly by: ChangedBy;
  readonly action: string;
  readonly summary: string;
}

/** A member that differs between two states. null: it was not there. */
export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly by: ChangedBy;
  readonly action: string;
  readonly resource: {
    readonly type: string;
    readonly id: string | null;
    readonly name: string | null;
    readonly count: number;
  };
  readonly version: number | null;
  readonly summary: string;
}

/** '' does not filter. */
export interface AuditFilter {
  readonly resource: string;
  readonly action: string;
  readonly since: string;
  readonly until: string;
}

interface DifferencePage {
  readonly changes: readonly Difference[];
  readonly page: { readonly nextCursor: string | null };
}

const DIFFERENCES_PER_PAGE = 200;

export function useVersions(id: string) {
  return useInfiniteQuery(
    pagesOf<CursorPage<Version>>(['versions', id], '/redirects/{id}/versions', { params: { id } }),
  );
}

/** Differences of a version from another one. 0: the state before the creation. */
export function useDifferences(id: string, version: number, against: number) {
  return useInfiniteQuery(
    pagesOf<DifferencePage>(['versions', id, version, against], '/redirects/{id}/versions/{version}/diff', {
      params: { id, version },
      query: { against, limit: DIFFERENCES_PER_PAGE },
    }),
  );
}

/** Makes the state of a version the current one. That is a new version. */
export function useRollback(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (version: number) =>
      request<Redirect>('POST', '/redirects/{id}/versions/{version}/rollback', { params: { id, version } }),
    onSuccess(redirect) {
      client.setQueryData(redirectKeys.one(id), redirect);
      for (const key of ['versions', 'rules', 'paths'])
        void client.invalidateQueries({ queryKey: [key, id] });
      void client.invalidateQueries({ queryKey: ['redirects', 'list'] });
    },
  });
}

/** Changes of everything that the user owns, newest first. */
export function useAudit(filter: AuditFilter) {
  return useInfiniteQuery({
    ...pagesOf<CursorPage<AuditEntry>>(['audit', filter], '/audit', { query: { ...filter } }),
    placeholderData: keepFormer,
  });
}

/** Returns the address of a file with all entries that the filter leaves. */
export function auditExportAddress(filter: AuditFilter, format: 'csv' | 'ndjson'): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return addressOf(`/exports/audit?${new URLSearchParams({ ...Object.fromEntries(given), format })}`);
}
