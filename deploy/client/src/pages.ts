/** A page of a list: with a cursor, or with a number. */
export interface AnyPage<Item> {
  readonly data: readonly Item[];
  readonly page?: { readonly nextCursor: string | null };
  readonly pagination?: { readonly page: number; readonly totalPages: number };
}

/** A list that reads page after page while it is iterated. Each iteration starts at the first page. */
export interface List<Item> extends AsyncIterable<Item> {
  /** Iterates over whole pages. */
  pages(): AsyncIterable<readonly Item[]>;
  /** Reads all items into memory, or the first `limit`. */
  toArray(limit?: number): Promise<Item[]>;
}

/** Creates a list. `read` gets the query that names the page, which is empty for the first. */
export function createList<Item>(read: (next: object) => Promise<AnyPage<Item>>): List<Item> {
  async function* pages(): AsyncGenerator<readonly Item[]> {
    for (let next: object | undefined = {}; next !== undefined; ) {
      const page: AnyPage<Item> = await read(next);
      yield page.data;
      next = following(page);
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const page of pages()) yield* page;
  }
  return {
    pages,
    [Symbol.asyncIterator]: items,
    async toArray(limit = Number.POSITIVE_INFINITY) {
      const all: Item[] = [];
      if (limit <= 0) return all;
      for await (const item of items()) if (all.push(item) >= limit) break;
      return all;
    },
  };
}

function following({ page, pagination }: AnyPage<unknown>): object | undefined {
  if (page !== undefined) return page.nextCursor === null ? undefined : { cursor: page.nextCursor };
  if (pagination === undefined || pagination.page >= pagination.totalPages) return undefined;
  return { page: pagination.page + 1 };
}
