import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Redirect, Schemas } from '@waymark/client';
import { accountKey } from './account';
import { firstFilled, pagesOf } from './pages';
import { keepFormer, queryOf, useChange, useRefresh } from './queries';
import { request } from './request';

export type Sort = 'createdAt' | '-createdAt' | 'updatedAt' | '-updatedAt' | 'fromDomain' | '-fromDomain';

export interface RedirectFilter {
  readonly search?: string;
  readonly status?: string;
  readonly tag?: string;
  readonly sort?: Sort;
}

/** A page of the list, with the requested members. */
type RedirectPage = Omit<Schemas.ListRedirectsResponse, 'data'> & { readonly data: readonly Redirect[] };

export interface BulkOperation {
  readonly op: 'update' | 'delete';
  readonly id: string;
  readonly enabled?: boolean;
  readonly tags?: readonly string[];
  readonly toDomain?: string;
}

const LIST_FIELDS =
  'id,fromDomain,toDomain,statusCode,enabled,status,tags,isVerified,pathForwarding,certificate,pathCount,createdAt,updatedAt,analyticsUsage';
const PAGE_SIZE = 200;
const MAX_REFRESHED_PAGES = 2;
const REFRESH_MS = 15_000;

export const redirectKeys = {
  all: ['redirects'] as const,
  lists: ['redirects', 'list'] as const,
  one: (id: string) => ['redirects', 'one', id] as const,
};

/** Reads a page of the list. While pages are empty, reads the following ones. */
async function readPage(
  query: Readonly<Record<string, string | number | boolean | undefined>>,
  signal: AbortSignal,
): Promise<RedirectPage> {
  const read = async (page?: object) =>
    (await request('GET', '/redirects', { signal, query: { ...query, ...page } })) as RedirectPage;
  const first = await read();
  if (isCountedEmpty(first)) return first;
  const found = await firstFilled(first, (cursor) => read({ cursor, count: undefined }));
  return { ...first, data: found.data, page: found.page };
}

/** Returns whether the counts show that the list is empty. */
export const isCountedEmpty = ({ total, countLimit }: RedirectPage) =>
  total === 0 && countLimit === undefined;

/** Reads the redirects of the user page by page. The first page has the total and the facets. */
export function useRedirectList(filter: RedirectFilter) {
  return useInfiniteQuery({
    queryKey: [...redirectKeys.lists, filter],
    queryFn: ({ pageParam, signal }) =>
      readPage(
        {
          ...filter,
          fields: LIST_FIELDS,
          limit: PAGE_SIZE,
          cursor: pageParam,
          count: pageParam === undefined ? true : undefined,
        },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.nextCursor ?? undefined,
    placeholderData: keepFormer,
    // Comparing 100,000 redirects with the previous data takes longer than rendering the few in view.
    structuralSharing: false,
    // A refresh reads every loaded page, so limit it to short lists.
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) <= MAX_REFRESHED_PAGES ? REFRESH_MS : false,
  });
}

/** Reads the first matches of a search, for the finder. */
export function useRedirectSearch(search: string, isEnabled: boolean) {
  return useQuery({
    queryKey: ['redirects', 'search', search],
    queryFn: ({ signal }) =>
      readPage({ search, limit: 8, fields: 'id,fromDomain,toDomain,status', sort: 'fromDomain' }, signal),
    enabled: isEnabled,
    placeholderData: keepFormer,
  });
}

const PENDING_MS = 10_000;

/** Reads a redirect, and refreshes it while it is shown. */
export function useRedirect(id: string) {
  return useQuery({
    ...queryOf(redirectKeys.one(id), '/redirects/{id}', { params: { id } }),
    refetchInterval: PENDING_MS,
  });
}

/** Returns a function that reloads all redirects and their number in the account. */
export const useRedirectsRefresh = () => useRefresh(redirectKeys.all, accountKey);

export function useCreateRedirect() {
  return useChange(
    (body: Readonly<Record<string, unknown>>) => request('POST', '/redirects', { body }),
    redirectKeys.all,
    accountKey,
  );
}

/** Changes members of a redirect by JSON Merge Patch. */
export function usePatchRedirect(id: string) {
  const client = useQueryClient();
  return useChange(async (body: Readonly<Record<string, unknown>>) => {
    const redirect = await request('PATCH', '/redirects/{id}', { params: { id }, body });
    client.setQueryData(redirectKeys.one(id), redirect);
    return redirect;
  }, redirectKeys.lists);
}

export function useDeleteRedirect(id: string) {
  return useChange(
    () => request('DELETE', '/redirects/{id}', { params: { id } }),
    redirectKeys.lists,
    accountKey,
  );
}

/** Operations per request. Small enough to show progress. */
const BULK_SIZE = 200;

/** Receives the number of processed redirects. */
export type OnProgress = (done: number) => void;

export interface BulkOutcome {
  readonly results: Schemas.ChangeManyRedirectsResponse['results'];
  /** Error of the failed request. No request follows it. */
  readonly error?: unknown;
}

/** Applies the valid operations and reports the others. Stops at the first request that fails. */
export async function runBulk(
  operations: readonly BulkOperation[],
  onProgress: OnProgress,
): Promise<BulkOutcome> {
  const results: Schemas.ChangeManyRedirectsResponse['results'][number][] = [];
  for (let done = 0; done < operations.length; done += BULK_SIZE) {
    onProgress(done);
    try {
      const report = await request('POST', '/redirects/bulk', {
        query: { mode: 'best_effort' },
        body: { operations: operations.slice(done, done + BULK_SIZE) },
      });
      results.push(...report.results);
    } catch (error) {
      return { results, error };
    }
  }
  return { results };
}

/** Undoes deletions one after another. Resolves to the number of restored redirects. */
export async function restoreRedirects(ids: readonly string[], onProgress?: OnProgress): Promise<number> {
  for (const [done, id] of ids.entries()) {
    onProgress?.(done);
    await request('POST', '/redirects/{id}/restore', { params: { id } });
  }
  return ids.length;
}

export interface DeletedRedirect extends Pick<Redirect, 'id' | 'fromDomain' | 'toDomain'> {
  readonly deletedAt: string;
  readonly restorableUntil: string;
}

/** Reads the deleted redirects that can be restored, the last deleted first. */
export function useDeletedRedirects(search: string) {
  return useInfiniteQuery({
    ...pagesOf(['redirects', 'deleted', search], '/redirects', {
      query: { deleted: true, search, fields: 'id,fromDomain,toDomain,deletedAt,restorableUntil' },
    }),
    placeholderData: keepFormer,
  });
}
