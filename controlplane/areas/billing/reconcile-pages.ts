const PAGE_SIZE = 100;

export interface Reconciled {
  readonly checked: number;
  readonly failed: number;
}

/** Returns at most `limit` ids after `after`, in order. */
export interface PageOfIds {
  readonly after: string;
  readonly limit: number;
}

export interface PagesToReconcile {
  list(page: PageOfIds): Promise<readonly string[]>;
  /** Asks the provider about one of them. Resolves to whether it answered; never rejects. */
  tryOne(id: string): Promise<boolean>;
}

/**
 * Asks about all entries of a list, one after another, page by page.
 *
 * @param stopping when it is aborted, the rest is left
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
