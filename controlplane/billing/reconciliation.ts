import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import type { BillingEvents } from './billing-events.js';
import type { BillingProvider } from './provider.js';
import { subscriptionRepository } from './subscription-repository.js';

const PAGE_SIZE = 100;

export interface ReconciliationDeps {
  readonly database: Database;
  readonly provider: Pick<BillingProvider, 'name' | 'readSubscription'>;
  readonly events: BillingEvents;
  readonly logger: Logger;
}

/** Asks the provider how subscriptions stand, and takes its answer: heals what was lost on the way. */
export interface Reconciliation {
  reconcile(subscriptionId: string): Promise<void>;
  /**
   * All that may still change, one after another. One that fails is logged and left for the next time.
   *
   * @param stopping once it is aborted, what was not asked about yet is left for the next time as well
   */
  reconcileAll(stopping?: AbortSignal): Promise<Reconciled>;
}

export interface Reconciled {
  readonly checked: number;
  readonly failed: number;
}

export function createReconciliation(deps: ReconciliationDeps): Reconciliation {
  const { database, provider, events, logger } = deps;

  async function reconcile(subscriptionId: string): Promise<void> {
    await events.apply(...(await provider.readSubscription(subscriptionId)));
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
    async reconcileAll(stopping) {
      let checked = 0;
      let failed = 0;
      let after = '';
      for (;;) {
        const page = await subscriptionRepository.listOpen(database, {
          provider: provider.name,
          after,
          limit: PAGE_SIZE,
        });
        for (const { id } of page) {
          if (stopping?.aborted) return { checked, failed };
          if (!(await tryOne(id))) failed += 1;
          checked += 1;
        }
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE_SIZE) return { checked, failed };
        after = last.id;
      }
    },
  };
}
