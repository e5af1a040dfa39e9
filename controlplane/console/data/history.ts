import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/preact-query';
import { keepFormer, pagesOf } from './pages';
import { redirectKeys } from './redirects';
import { addressOf, request } from './request';

/** '' does not filter. */
export interface AuditFilter {
  readonly resource: string;
  readonly action: string;
  readonly since: string;
  readonly until: string;
}

const DIFFERENCES_PER_PAGE = 200;

export function useVersions(id: string) {
  return useInfiniteQuery(pagesOf(['versions', id], '/redirects/{id}/versions', { params: { id } }));
}

/** Differences of a version from another one. 0: the state before the creation. */
export function useDifferences(id: string, version: number, against: number) {
  return useInfiniteQuery(
    pagesOf(['versions', id, version, against], '/redirects/{id}/versions/{n}/diff', {
      params: { id, n: version },
      query: { against, limit: DIFFERENCES_PER_PAGE },
    }),
  );
}

/** Makes the state of a version the current one. That is a new version. */
export function useRollback(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (version: number) =>
      request('POST', '/redirects/{id}/versions/{n}/rollback', { params: { id, n: version } }),
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
    ...pagesOf(['audit', filter], '/audit', { query: { ...filter } }),
    placeholderData: keepFormer,
  });
}

/** Returns the address of a file with all entries that the filter leaves. */
export function auditExportAddress(filter: AuditFilter, format: 'csv' | 'ndjson'): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return addressOf(`/exports/audit?${new URLSearchParams({ ...Object.fromEntries(given), format })}`);
}
