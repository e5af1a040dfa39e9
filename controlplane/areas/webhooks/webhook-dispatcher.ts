import type { AreaParts } from '../../area.js';
import { createBackgroundWork } from '../../jobs/background-work.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { AttemptDelivery } from './delivery-attempt.js';
import { deliveryQueue } from './delivery-queue.js';

const POLL_INTERVAL_MS = 1_000;
/**
 * Maximum number of concurrent messages. One user has fewer endpoints, so slow endpoints of one user do not block
 * others.
 */
const MAX_IN_FLIGHT = 32;
/** Duration of a claim. An attempt takes far less time. */
const LEASE_SECONDS = 60;
const STOP_GRACE_MS = 3_000;

export interface WebhookDispatcherDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly attempt: AttemptDelivery;
  /** Time that running attempts have when the dispatcher stops. */
  readonly stopGraceMs?: number | undefined;
}

/**
 * Sends due messages: a bounded number concurrently, and one at a time to each endpoint. Several control planes share
 * the work. Each message is sent at least once: it is sent again if the process ends before the outcome is stored.
 */
export type WebhookDispatcher = ReturnType<typeof createWebhookDispatcher>;

export function createWebhookDispatcher(deps: WebhookDispatcherDeps) {
  const { database, attempt, logger, stopGraceMs = STOP_GRACE_MS } = deps;
  const cut = new AbortController();
  /** Running deliveries by endpoint. */
  const inFlight = new Map<string, Promise<void>>();

  /** Resolves to whether there was a due delivery. */
  async function takeSome(): Promise<boolean> {
    const limit = MAX_IN_FLIGHT - inFlight.size;
    if (limit === 0) return false;
    const claimed = await deliveryQueue.claim(database, {
      claim: newId(),
      limit,
      leaseSeconds: LEASE_SECONDS,
      exceptEndpoints: [...inFlight.keys()],
    });
    for (const delivery of claimed) {
      const { endpointId } = delivery;
      const ended = attempt(delivery, cut.signal).finally(() => {
        inFlight.delete(endpointId);
        // The endpoint has become free.
        void work.wake();
      });
      inFlight.set(endpointId, ended);
    }
    return claimed.length > 0;
  }

  const work = createBackgroundWork({
    intervalMs: POLL_INTERVAL_MS,
    async runRound() {
      let mayBeMore = true;
      while (mayBeMore && !work.isStopping()) mayBeMore = await takeSome();
    },
    logger,
    failure: 'webhook messages that are due could not be taken; trying again shortly',
    beginsAtOnce: true,
  });

  return {
    start: work.start,
    /** Sends due messages. Resolves when no message is due. */
    async runRound(): Promise<void> {
      await work.wake();
      while (inFlight.size > 0) {
        await Promise.race(inFlight.values());
        await work.wake();
      }
    },
    /** Waits briefly for running attempts. The next start sends the rest. */
    async stop(): Promise<void> {
      await work.stop();
      const cutting = setTimeout(() => cut.abort(), stopGraceMs);
      await Promise.all(inFlight.values());
      clearTimeout(cutting);
    },
  };
}
