import { requestTagged } from './request';

interface Page {
  readonly page: { readonly nextCursor: string | null };
}

interface PageRequest {
  readonly params?: Readonly<Record<string, string | number>>;
  /** '' is left out. Default of `limit`: 50. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

const PAGE_SIZE = 50;

/** Returns options of `useInfiniteQuery` for a list that the API gives page by page. */
export function pagesOf<P extends Page>(
  queryKey: readonly unknown[],
  path: string,
  { params, query }: PageRequest = {},
) {
  return {
    queryKey,
    queryFn: async ({
      pageParam,
      signal,
    }: {
      readonly pageParam: string | undefined;
      readonly signal: AbortSignal;
    }) => {
      const { data, etag } = await requestTagged<P>('GET', path, {
        ...(params && { params }),
        query: { limit: PAGE_SIZE, ...query, cursor: pageParam },
        signal,
      });
      return { ...data, etag };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }: P) => page.nextCursor ?? undefined,
  };
}

/** Shows what was there while another page or filter is read. */
export const keepFormer = <T>(former: T) => former;
