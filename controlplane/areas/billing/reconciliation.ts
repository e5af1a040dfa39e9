import type { BillingParts } from './billing-parts.js';
import type { BillingProvider } from './provider.js';
import { subscriptionRepository } from './subscription-repository.js';

const PAGE_SIZE = 100;

/** Reads the state of subscriptions from the provider and stores it. This repairs lost events. */
export interface Reconciliation {
  reconcile(subscriptionId: string): Promise<void>;
  /**
   * Reconciles every object that may still change. A failure is logged and repeated in the next run.
   *
   * @param stopping on abort, the rest is left for the next run
   */
  reconcileAll(stopping?: AbortSignal): Promise<Reconciled>;
}

export interface Reconciled {
  readonly checked: number;
  readonly failed: number;
}

export function createReconciliation(
  parts: Pick<BillingParts, 'database' | 'events' | 'logger'> & {
    readonly provider: Pick<BillingProvider, 'name' | 'readSubscription'>;
  },
): Reconciliation {
  const { database, provider, events, logger } = parts;

  async function reconcile(subscriptionId: string): Promise<void> {
    await events.apply(...(await provider.readSubscription(subscriptionId)));
  }

  const subscriptions = {
    list: (page: PageOfIds) => subscriptionRepository.listOpen(database, provider.name, page),
    reconcile,
    onFailure: (error: unknown, subscription: string) =>
      logger.warn({ err: error, subscription }, 'a subscription could not be reconciled'),
  };

  return { reconcile, reconcileAll: (stopping) => reconcilePages(subscriptions, stopping) };
}

/** Bounds of a page: at most `limit` ids after `after`, in order. */
export interface PageOfIds {
  readonly after: string;
  readonly limit: number;
}

export interface PagesToReconcile {
  list(page: PageOfIds): Promise<readonly string[]>;
  reconcile(id: string): Promise<void>;
  onFailure(error: unknown, id: string): void;
}

/**
 * Asks the provider about all entries of a list, one after another, page by page.
 *
 * @param stopping on abort, the rest is left
 */
export async function reconcilePages(
  { list, reconcile, onFailure }: PagesToReconcile,
  stopping: AbortSignal | undefined,
): Promise<Reconciled> {
  let checked = 0;
  let failed = 0;
  let after = '';
  for (;;) {
    const page = await list({ after, limit: PAGE_SIZE });
    for (const id of page) {
      if (stopping?.aborted) return { checked, failed };
      await reconcile(id).catch((error: unknown) => {
        failed += 1;
        onFailure(error, id);
      });
      checked += 1;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return { checked, failed };
    after = last;
  }
}
