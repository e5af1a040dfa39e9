import { requestTagged } from './request';

interface Page {
  readonly data?: readonly unknown[];
  readonly page: { readonly nextCursor: string | null };
}

interface PageRequest {
  readonly params?: Readonly<Record<string, string | number>>;
  /** '' is left out. Default of `limit`: 50. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

const PAGE_SIZE = 50;
/** Maximum requests for one page. A page of a filtered list can be empty while there is a next one. */
const MAX_READS = 20;

/** Returns `first` or, if it is empty, the first page after it with rows. Reads `MAX_READS` pages at most. */
export async function firstFilled<P extends Page>(
  first: P,
  read: (cursor: string) => Promise<P>,
): Promise<P> {
  let found = first;
  for (let reads = 1; reads < MAX_READS; reads += 1) {
    const { data, page } = found;
    if (data?.length !== 0 || page.nextCursor === null) break;
    found = await read(page.nextCursor);
  }
  return found;
}

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
      const read = async (cursor: string | undefined) => {
        const { data, etag } = await requestTagged<P>('GET', path, {
          ...(params && { params }),
          query: { limit: PAGE_SIZE, ...query, cursor },
          signal,
        });
        return { ...data, etag };
      };
      return firstFilled(await read(pageParam), read);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }: P) => page.nextCursor ?? undefined,
  };
}

/** Shows what was there while another page or filter is read. */
export const keepFormer = <T>(former: T) => former;
