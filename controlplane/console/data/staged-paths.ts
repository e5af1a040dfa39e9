import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { pagesOf } from './pages';
import { redirectKeys } from './redirects';
import { request } from './request';

/** A path table as read from a file. The API validates it. */
export interface UploadedTable {
  readonly options?: unknown;
  readonly entries: readonly unknown[];
}

const UPLOAD_MS = 120_000;
const DIFFERENCES_PER_PAGE = 100;

/** Reads the differences between the staged and the live table. Fails with 404 if no table is staged. */
export function useStagedDiff(id: string) {
  return useInfiniteQuery({
    ...pagesOf(['paths', id, 'staged'], '/redirects/{id}/paths/staged/diff', {
      params: { id },
      query: { limit: DIFFERENCES_PER_PAGE },
    }),
    staleTime: 0,
  });
}

/** Returns the paths of entries whose live side differs between two comparisons. */
export function changedMeanwhile(
  before: readonly Schemas.PathDifference[],
  after: readonly Schemas.PathDifference[],
): readonly string[] {
  const earlier = liveByEntry(before);
  const later = liveByEntry(after);
  const keys = new Set([...earlier.keys(), ...later.keys()]);
  const changed = [...keys].filter((key) => earlier.get(key)?.live !== later.get(key)?.live);
  return changed.map((key) => (later.get(key) ?? earlier.get(key))?.source ?? key);
}

function liveByEntry(differences: readonly Schemas.PathDifference[]) {
  return new Map(
    differences.map(({ live, staged }) => {
      const { source = '', query = null, pathEnding = 'inherit' } = staged ?? live ?? {};
      return [JSON.stringify([source, query, pathEnding]), { source, live: JSON.stringify(live) }];
    }),
  );
}

export function testStaged(id: string, urls: readonly string[]): Promise<readonly Schemas.TestedPath[]> {
  return request('POST', '/redirects/{id}/paths/staged/test', {
    params: { id },
    body: { urls },
  }).then(({ results }) => results);
}

export function useStagedChanges(id: string) {
  const client = useQueryClient();
  const params = { id };
  const refresh = () => {
    void client.invalidateQueries({ queryKey: ['versions', id] });
    void client.invalidateQueries({ queryKey: redirectKeys.one(id) });
    return client.resetQueries({ queryKey: ['paths', id] });
  };
  return {
    upload: useMutation({
      mutationFn: (body: UploadedTable) =>
        request('PUT', '/redirects/{id}/paths/staged', { params, body, timeoutMs: UPLOAD_MS }),
      onSuccess: refresh,
    }),
    publish: useMutation({
      /** @param ifMatch ETag of the comparison. The API answers 412 if the live table has changed since. */
      mutationFn: (ifMatch: string | undefined) =>
        request('POST', '/redirects/{id}/paths/staged/publish', {
          ...{ params, ifMatch, timeoutMs: UPLOAD_MS },
        }),
      onSuccess: refresh,
    }),
    discard: useMutation({
      mutationFn: () => request('DELETE', '/redirects/{id}/paths/staged', { params }),
      onSuccess: refresh,
    }),
    /** Swaps the live table and the previous one. */
    restore: useMutation({
      mutationFn: () => request('POST', '/redirects/{id}/paths/restore', { params, timeoutMs: UPLOAD_MS }),
      onSuccess: refresh,
    }),
  };
}
