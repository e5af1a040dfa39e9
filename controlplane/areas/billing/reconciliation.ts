import type { Logger } from 'pino';
import type { Database } from '../../storage/postgres/database.js';
import type { BillingEvents } from './billing-events.js';
import type { BillingProvider } from './provider.js';
import { type PageOfIds, type Reconciled, reconcilePages } from './reconcile-pages.js';
import { subscriptionRepository } from './subscription-repository.js';

export interface ReconciliationDeps {
  readonly database: Database;
  readonly provider: Pick<BillingProvider, 'name' | 'readSubscription'>;
  readonly events: BillingEvents;
  readonly logger: Logger;
}

/** Reads the state of subscriptions from the provider and stores it. This repairs lost events. */
export interface Reconciliation {
  reconcile(subscriptionId: string): Promise<void>;
  /**
   * Yields every object that may still change. A failure is logged and repeated in the next run.
   *
   * @param stopping when it is aborted, the rest is left for the next run
   */
  reconcileAll(stopping?: AbortSignal): Promise<Reconciled>;
}

export function createReconciliation(deps: ReconciliationDeps): Reconciliation {
  const { database, provider, events, logger } = deps;

  async function reconcile(subscriptionId: string): Promise<void> {
    await events.apply(...(await provider.readSubscription(subscriptionId)));
  }

  async function listOpen(page: PageOfIds): Promise<string[]> {
    const open = await subscriptionRepository.listOpen(database, { provider: provider.name, ...page });
    return open.map(({ id }) => id);
  }

  async function tryOne(subscriptionId: string): Promise<boolean> {
    try {
      await reconcile(subscriptionId);
      return true;
    } catch (error) {
      logger.warn({ err: error, subscription: subscriptionId }, 'a subscription could not be reconciled');
      return false;
    }
  }

  return {
    reconcile,
    reconcileAll: (stopping) => reconcilePages({ list: listOpen, tryOne }, stopping),
  };
}
