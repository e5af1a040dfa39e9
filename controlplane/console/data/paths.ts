import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import { keepFormer, pagesOf } from './pages';
import type { PathEnding, PathOptions, PathPage, TestedPath } from './records';
import { redirectKeys } from './redirects';
import { request } from './request';

const PAGE_SIZE = 100;
const UNMATCHED_ASKED = 100;
const UNMATCHED_SHOWN = 10;

export interface PathChanges {
  readonly source?: string;
  readonly destination?: string | null;
  readonly statusCode?: number;
  readonly queryForwarding?: 'inherit' | boolean;
  readonly pathEnding?: PathEnding;
  readonly query?: Readonly<Record<string, string | boolean>> | null;
  readonly enabled?: boolean;
  readonly note?: string;
}

export function usePaths(id: string, search: string) {
  return useInfiniteQuery({
    ...pagesOf<PathPage>(['paths', id, search], '/redirects/{id}/paths', {
      params: { id },
      query: { search, limit: PAGE_SIZE },
    }),
    placeholderData: keepFormer,
  });
}

interface UnmatchedPath {
  readonly path: string;
  readonly hits: number;
}

/**
 * Frequent paths of the last 30 days that nothing decides, not even an entry or rule that was added since. The API's
 * default period is 30 days.
 */
export function useUnmatchedPaths(id: string) {
  return useQuery({
    queryKey: ['paths', id, 'unmatched'],
    async queryFn({ signal }) {
      const { data } = await request<{ data: { paths: readonly UnmatchedPath[] } }>(
        'GET',
        '/analytics/redirect/{id}/stats/unmatched-paths',
        { params: { id }, query: { limit: UNMATCHED_ASKED }, signal },
      );
      if (data.paths.length === 0) return [];
      const { results } = await request<{ results: readonly TestedPath[] }>(
        'POST',
        '/redirects/{id}/paths/test',
        { params: { id }, body: { urls: data.paths.map(({ path }) => path) }, signal },
      );
      const isUnmatched = (index: number) => {
        const reason = results[index]?.reason ?? '';
        return ['destination', 'not_found', 'gone'].includes(reason);
      };
      return data.paths.filter((_, index) => isUnmatched(index)).slice(0, UNMATCHED_SHOWN);
    },
  });
}

/** Changes of the path table. Each has the list read again. */
export function usePathChanges(id: string) {
  const client = useQueryClient();
  async function change(method: 'POST' | 'PATCH' | 'DELETE', entry: number | undefined, body?: object) {
    const path = entry === undefined ? '/redirects/{id}/paths' : '/redirects/{id}/paths/{entry}';
    await request(method, path, { params: { id, entry: entry ?? '' }, ...(body && { body }) });
    await client.invalidateQueries({ queryKey: ['paths', id] });
    void client.invalidateQueries({ queryKey: redirectKeys.one(id) });
  }
  return {
    add: (body: PathChanges) => change('POST', undefined, body),
    edit: (entry: number, body: PathChanges) => change('PATCH', entry, body),
    remove: (entry: number) => change('DELETE', entry),
    setOptions: (options: PathOptions) => change('PATCH', undefined, { options }),
  };
}
