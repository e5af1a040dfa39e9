import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import type { PathPage } from './records';
import { redirectKeys } from './redirects';
import { request } from './request';

const PAGE_SIZE = 100;

export interface PathChanges {
  readonly source?: string;
  readonly destination?: string | null;
  readonly statusCode?: number;
  readonly queryForwarding?: 'inherit' | boolean;
  readonly query?: Readonly<Record<string, string | boolean>> | null;
  readonly enabled?: boolean;
  readonly note?: string;
}

export function usePaths(id: string, search: string) {
  return useInfiniteQuery({
    queryKey: ['paths', id, search],
    queryFn: ({ pageParam, signal }) =>
      request<PathPage>('GET', '/redirects/{id}/paths', {
        params: { id },
        query: { search, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.nextCursor ?? undefined,
    placeholderData: (previous) => previous,
  });
}

/** Changes of the path table. Each has the list read again. */
export function usePathChanges(id: string) {
  const client = useQueryClient();
  async function change(method: 'POST' | 'PATCH' | 'DELETE', entry: number | undefined, body?: PathChanges) {
    const path = entry === undefined ? '/redirects/{id}/paths' : '/redirects/{id}/paths/{entry}';
    await request(method, path, { params: { id, entry: entry ?? '' }, ...(body && { body }) });
    await client.invalidateQueries({ queryKey: ['paths', id] });
    void client.invalidateQueries({ queryKey: redirectKeys.one(id) });
  }
  return {
    add: (body: PathChanges) => change('POST', undefined, body),
    edit: (entry: number, body: PathChanges) => change('PATCH', entry, body),
    remove: (entry: number) => change('DELETE', entry),
  };
}
