import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/preact-query';
import { pagesOf } from './pages';
import type { CursorPage, PathEntry, PathOptions, TestedPath } from './records';
import { redirectKeys } from './redirects';
import { request } from './request';

export type EntrySettings = Omit<PathEntry, 'id' | 'hitCount' | 'lastHitAt'>;

export interface PathDifference {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly live: EntrySettings | null;
  readonly staged: EntrySettings | null;
}

interface StagedDiff extends CursorPage<PathDifference> {
  readonly summary: {
    readonly added: number;
    readonly changed: number;
    readonly removed: number;
    readonly unchanged: number;
  };
  readonly options: { readonly live: PathOptions; readonly staged: PathOptions };
}

export interface Diagnostic {
  readonly source: string;
  readonly message: string;
}

/** A table as a file has it. */
export interface UploadedTable {
  readonly options?: unknown;
  readonly entries: readonly unknown[];
}

interface Replaced {
  readonly summary: { readonly total: number };
  readonly diagnostics: readonly Diagnostic[];
}

const UPLOAD_MS = 120_000;
const DIFFERENCES_PER_PAGE = 100;

/** Differences between the staged and the live table. Fails with 404 where no table is staged. */
export function useStagedDiff(id: string) {
  return useInfiniteQuery({
    ...pagesOf<StagedDiff>(['paths', id, 'staged'], '/redirects/{id}/paths/staged/diff', {
      params: { id },
      query: { limit: DIFFERENCES_PER_PAGE },
    }),
    staleTime: 0,
  });
}

/** Returns the paths of entries whose live side differs between two comparisons. */
export function changedMeanwhile(
  before: readonly PathDifference[],
  after: readonly PathDifference[],
): readonly string[] {
  const earlier = liveByEntry(before);
  const later = liveByEntry(after);
  const keys = new Set([...earlier.keys(), ...later.keys()]);
  const changed = [...keys].filter((key) => earlier.get(key)?.live !== later.get(key)?.live);
  return changed.map((key) => (later.get(key) ?? earlier.get(key))?.source ?? key);
}

function liveByEntry(differences: readonly PathDifference[]) {
  return new Map(
    differences.map(({ live, staged }) => {
      const { source = '', query = null, pathEnding = 'inherit' } = staged ?? live ?? {};
      return [JSON.stringify([source, query, pathEnding]), { source, live: JSON.stringify(live) }];
    }),
  );
}

export function testStaged(id: string, urls: readonly string[]): Promise<readonly TestedPath[]> {
  return request<{ readonly results: readonly TestedPath[] }>('POST', '/redirects/{id}/paths/staged/test', {
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
        request<Replaced>('PUT', '/redirects/{id}/paths/staged', { params, body, timeoutMs: UPLOAD_MS }),
      onSuccess: refresh,
    }),
    publish: useMutation({
      /** @param ifMatch tag of the comparison: only the table in force that was compared is replaced */
      mutationFn: (ifMatch: string | undefined) =>
        request<Replaced>('POST', '/redirects/{id}/paths/staged/publish', {
          ...{ params, ifMatch, timeoutMs: UPLOAD_MS },
        }),
      onSuccess: refresh,
    }),
    discard: useMutation({
      mutationFn: () => request('DELETE', '/redirects/{id}/paths/staged', { params }),
      onSuccess: refresh,
    }),
    /** Exchanges the live table and the one before it. */
    restore: useMutation({
      mutationFn: () =>
        request<Replaced>('POST', '/redirects/{id}/paths/restore', { params, timeoutMs: UPLOAD_MS }),
      onSuccess: refresh,
    }),
  };
}
