import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { PathEntry, Schemas } from '@waymark/client';
import { pagesOf } from './pages';
import { keepFormer } from './queries';
import { redirectKeys } from './redirects';
import { request } from './request';

const PAGE_SIZE = 100;
const UNMATCHED_ASKED = 100;
const UNMATCHED_SHOWN = 10;

/** An entry of the live table or of a draft. */
export type ShownEntry = Omit<PathEntry, 'createdAt' | 'updatedAt'>;
export type PathChanges = Readonly<Partial<Schemas.PathEntrySettings>>;

export function usePaths(id: string, search: string) {
  return useInfiniteQuery({
    ...pagesOf(['paths', id, search], '/redirects/{id}/paths', {
      params: { id },
      query: { search, limit: PAGE_SIZE },
    }),
    placeholderData: keepFormer,
  });
}

/**
 * Reads the frequent paths of the last 30 days without a matching entry or rule. Entries and rules that were added
 * since then count too. The API's default period is 30 days.
 */
export function useUnmatchedPaths(id: string) {
  return useQuery({
    queryKey: ['paths', id, 'unmatched'],
    async queryFn({ signal }) {
      const { data } = await request('GET', '/analytics/redirect/{redirectId}/stats/unmatched-paths', {
        params: { redirectId: id },
        query: { limit: UNMATCHED_ASKED },
        signal,
      });
      if (data.paths.length === 0) return [];
      const { results } = await request('POST', '/redirects/{id}/paths/test', {
        params: { id },
        body: { urls: data.paths.map(({ path }) => path) },
        signal,
      });
      const isUnmatched = (index: number) => {
        const reason = results[index]?.reason ?? '';
        return ['destination', 'not_found', 'gone'].includes(reason);
      };
      return data.paths.filter((_, index) => isUnmatched(index)).slice(0, UNMATCHED_SHOWN);
    },
  });
}

/** Changes of the path table. Each reloads the list. */
export function usePathChanges(id: string) {
  const client = useQueryClient();
  async function change(work: Promise<unknown>) {
    await work;
    await client.invalidateQueries({ queryKey: ['paths', id] });
    void client.invalidateQueries({ queryKey: redirectKeys.one(id) });
  }
  const one = '/redirects/{id}/paths/{entryId}';
  return {
    add: (body: PathChanges) => change(request('POST', '/redirects/{id}/paths', { params: { id }, body })),
    edit: (entryId: number, body: PathChanges) =>
      change(request('PATCH', one, { params: { id, entryId }, body })),
    remove: (entryId: number) => change(request('DELETE', one, { params: { id, entryId } })),
    setOptions: (options: Schemas.PathOptions) =>
      change(request('PATCH', '/redirects/{id}/paths', { params: { id }, body: { options } })),
  };
}
