import type { Queryable } from '../../../storage/postgres/database.js';
import type { Reconciliation } from '../reconciliation.js';

/** Less than the day after which each process asks, so that no day is left out. */
const TURN = '20 hours';

/**
 * Lets one of several control planes check all subscriptions, once a day. The first process takes the turn.
 *
 * @param provider provider whose turn it is
 */
export function inTurns(
  reconciliation: Reconciliation,
  { database, provider }: { readonly database: Queryable; readonly provider: string },
): Reconciliation {
  /** Gives up the turn, so that another process can take it. A process that stops or fails must not block the others. */
  async function giveBack(): Promise<void> {
    await database.query('DELETE FROM reconciliation_turns WHERE provider = $1', [provider]);
  }

  return {
    reconcile: (subscriptionId) => reconciliation.reconcile(subscriptionId),
    async reconcileAll(stopping) {
      const turn = await database.query(
        `INSERT INTO reconciliation_turns AS turns (provider, taken_at) VALUES ($1, now())
         ON CONFLICT (provider) DO UPDATE SET taken_at = now() WHERE turns.taken_at < now() - $2::interval
         RETURNING 1`,
        [provider, TURN],
      );
      if (turn.length === 0) return { checked: 0, failed: 0 };
      let isDone = false;
      try {
        const reconciled = await reconciliation.reconcileAll(stopping);
        isDone = stopping?.aborted !== true;
        return reconciled;
      } finally {
        if (!isDone) await giveBack();
      }
    },
  };
}
