import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import { pagesOf } from './pages';
import { keepFormer, useChange } from './queries';
import { redirectKeys } from './redirects';
import { addressOf, request } from './request';

/** '' does not filter. */
export type AuditFilter = Readonly<Record<'resource' | 'action' | 'since' | 'until', string>>;

const DIFFERENCES_PER_PAGE = 200;

export function useVersions(id: string) {
  return useInfiniteQuery(pagesOf(['versions', id], '/redirects/{id}/versions', { params: { id } }));
}

/** Reads the differences between two versions. `against` 0 is the state before the creation. */
export function useDifferences(id: string, version: number, against: number) {
  return useInfiniteQuery(
    pagesOf(['versions', id, version, against], '/redirects/{id}/versions/{n}/diff', {
      params: { id, n: version },
      query: { against, limit: DIFFERENCES_PER_PAGE },
    }),
  );
}

/** Creates a new version with the state of an earlier one. */
export function useRollback(id: string) {
  const client = useQueryClient();
  return useChange(
    async (version: number) => {
      const params = { id, n: version };
      const redirect = await request('POST', '/redirects/{id}/versions/{n}/rollback', { params });
      client.setQueryData(redirectKeys.one(id), redirect);
    },
    ['versions', id],
    ['rules', id],
    ['paths', id],
    redirectKeys.lists,
  );
}

/** Reads the audit log of everything that the user owns, newest first. */
export function useAudit(filter: AuditFilter) {
  return useInfiniteQuery({
    ...pagesOf(['audit', filter], '/audit', { query: filter }),
    placeholderData: keepFormer,
  });
}

/** Returns the URL of a file with all entries that match the filter. */
export function auditExportAddress(filter: AuditFilter, format: 'csv' | 'ndjson'): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return addressOf(`/exports/audit?${new URLSearchParams({ ...Object.fromEntries(given), format })}`);
}
