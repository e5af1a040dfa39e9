import type { Answer, Operation, PathOf } from '@waymark/client';
import { type AddressOptions, sendTagged } from './request';

interface Page {
  readonly data?: readonly unknown[];
  readonly page: { readonly nextCursor: string | null };
}

/** One page of an API list. */
type PageOf<P extends PathOf<'GET'>> = Extract<Answer<Operation<'GET', P>>, Page>;
type Etag = { readonly etag: string | undefined };

const PAGE_SIZE = 50;
/** Maximum requests for one page. A page of a filtered list can be empty although another one follows. */
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

/** Returns options of `useInfiniteQuery` for a list that the API returns page by page. Default of `query.limit`: 50. */
export function pagesOf<P extends PathOf<'GET'> & string>(
  queryKey: readonly unknown[],
  path: P,
  options?: AddressOptions<Operation<'GET', P>>,
) {
  async function readPage(cursor: string | undefined, signal: AbortSignal): Promise<PageOf<P> & Etag> {
    const query = { limit: PAGE_SIZE, ...options?.query, cursor };
    const { data, etag } = await sendTagged<Operation<'GET', P>>('GET', path, { ...options, query, signal });
    return { ...(data as PageOf<P>), etag };
  }
  return {
    queryKey,
    async queryFn(context: { readonly pageParam: string | undefined; readonly signal: AbortSignal }) {
      const read = (cursor: string | undefined) => readPage(cursor, context.signal);
      return firstFilled(await read(context.pageParam), read);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }: PageOf<P>) => page.nextCursor ?? undefined,
  };
}
