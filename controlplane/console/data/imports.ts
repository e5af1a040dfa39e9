import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Import } from '@waymark/client';
import { accountKey } from './account';
import { pagesOf } from './pages';
import { keepFormer, queryOf, useChange, useRefresh } from './queries';
import { redirectKeys } from './redirects';
import { addressOf, request } from './request';

export interface NewImport {
  readonly file: File;
  /** Redirect whose paths are imported. Undefined if the rows are redirects. */
  readonly redirectId: string | undefined;
  readonly format: string;
  readonly mode: Import['mode'];
  readonly dryRun: boolean;
}

const importsKey = ['imports'] as const;
const fileKey = (id: string) => ['import-file', id] as const;
const PAGE_SIZE = 100;
const RUNNING_MS = 1_000;
const ROWS_MS = 3_000;

export const isRunning = ({ state }: Import) => state === 'queued' || state === 'running';

/** Reads the imports of the user, newest first. The API keeps 20. */
export function useImports() {
  return useQuery({
    ...queryOf([...importsKey, 'list'], '/imports'),
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? RUNNING_MS : false),
  });
}

/** Reads an import, and refreshes it until it has ended. */
export function useImport(id: string) {
  return useQuery({
    ...queryOf([...importsKey, 'one', id], '/imports/{id}', { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data === undefined || isRunning(state.data) ? RUNNING_MS : false),
  });
}

/** Reads the processed rows, in the order of the file. */
export function useImportRows(id: string, status: string, isMoving: boolean) {
  return useInfiniteQuery({
    // `isMoving` is part of the key, so the end of the import reloads the list with the last rows.
    ...pagesOf([...importsKey, 'rows', id, status, isMoving], '/imports/{id}/rows', {
      params: { id },
      query: { status, limit: PAGE_SIZE },
    }),
    placeholderData: keepFormer,
    refetchInterval: ({ state }) => (isMoving && (state.data?.pages.length ?? 0) <= 1 ? ROWS_MS : false),
  });
}

/** Returns the URL of a file with rows of an import. */
export function rowsAddress(id: string, status: string): string {
  const query = new URLSearchParams({ format: 'csv', ...(status && { status }) });
  return addressOf(`/imports/${encodeURIComponent(id)}/rows?${query}`);
}

/** Returns the file of a dry run. The tab keeps it in memory for the import that follows. */
export function useKeptFile(id: string) {
  return useQuery<File | null>({
    queryKey: fileKey(id),
    queryFn: () => null,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

export function useImportChanges() {
  const client = useQueryClient();
  return {
    upload: useChange(async (started: NewImport) => {
      const one = await uploadFile(started);
      client.setQueryData(fileKey(one.id), started.file);
      return one;
    }, importsKey),
    cancel: useChange(
      (id: string) => request('POST', '/imports/{id}/cancel', { params: { id } }),
      importsKey,
    ),
  };
}

/** Returns a function that reloads the lists that an import changes. */
export const useTargetsRefresh = () => useRefresh(redirectKeys.all, ['paths'], accountKey);

/** Sends a file of any size, without a time limit. */
function uploadFile({ file, redirectId, format, mode, dryRun }: NewImport): Promise<Import> {
  const kind = redirectId === undefined ? 'redirects' : 'paths';
  return request('POST', '/imports', {
    query: { kind, redirectId, format, mode, dryRun },
    body: file,
    contentType: 'application/octet-stream',
    timeoutMs: 0,
  });
}
