const PAGE_SIZE = 100;

export interface Reconciled {
  readonly checked: number;
  readonly failed: number;
}

/** The ids after `after` in their order, at most `limit`. */
export interface PageOfIds {
  readonly after: string;
  readonly limit: number;
}

export interface PagesToReconcile {
  list(page: PageOfIds): Promise<readonly string[]>;
  /** Asks about one of them. Resolves to whether that could be done; never rejects. */
  tryOne(id: string): Promise<boolean>;
}

/**
 * Asks about everything in a list, one after another and a page at a time.
 *
 * @param stopping once it is aborted, what was not asked about yet is left
 */
export async function reconcilePages(
  { list, tryOne }: PagesToReconcile,
  stopping: AbortSignal | undefined,
): Promise<Reconciled> {
  let checked = 0;
  let failed = 0;
  let after = '';
  for (;;) {
    const page = await list({ after, limit: PAGE_SIZE });
    for (const id of page) {
      if (stopping?.aborted) return { checked, failed };
      if (!(await tryOne(id))) failed += 1;
      checked += 1;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return { checked, failed };
    after = last;
  }
}
