import type { AreaParts } from '../../area.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { AttemptDelivery } from './delivery-attempt.js';
import { deliveryQueue } from './delivery-queue.js';

const POLL_INTERVAL_MS = 1_000;
/**
 * Maximum number of messages under way. One user has fewer endpoints, so slow endpoints of one user do not stop
 * others.
 */
const MAX_IN_FLIGHT = 32;
/** Lease of a claim. An attempt takes far less time. */
const LEASE_SECONDS = 60;
const STOP_GRACE_MS = 3_000;

export interface WebhookDispatcherDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly attempt: AttemptDelivery;
  /** Time that running attempts have when the dispatcher stops. */
  readonly stopGraceMs?: number | undefined;
}

/**
 * Sends due messages: a bounded number at once, and one at a time to each endpoint. Several control planes share the
 * work. Each message is sent at least once: it is sent again if the process ends before the outcome is stored.
 */
export interface WebhookDispatcher {
  start(): void;
  /** Sends due messages. Resolves when none is due any more. */
  runRound(): Promise<void>;
  /** Waits briefly for running attempts. The next start sends the rest. */
  stop(): Promise<void>;
}

export function createWebhookDispatcher(deps: WebhookDispatcherDeps): WebhookDispatcher {
  const { database, attempt, logger, stopGraceMs = STOP_GRACE_MS } = deps;
  const cut = new AbortController();
  /** Running deliveries by endpoint. */
  const inFlight = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let taking: Promise<void> | undefined;
  let isWanted = false;
  let isStopping = false;

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
        wake();
      });
      inFlight.set(endpointId, ended);
    }
    return claimed.length > 0;
  }

  async function takeWhileWanted(): Promise<void> {
    while (isWanted && !isStopping) {
      isWanted = false;
      isWanted = (await takeSome()) || isWanted;
    }
  }

  /**
   * Runs one claim at a time. A request during a claim starts another one afterwards, because an endpoint may have
   * become free.
   */
  function wake(): void {
    isWanted = true;
    if (taking !== undefined || isStopping) return;
    taking = takeWhileWanted()
      .catch((error: unknown) => {
        isWanted = false;
        logger.warn({ err: error }, 'webhook messages that are due could not be taken; trying again shortly');
      })
      .finally(() => {
        taking = undefined;
        if (isWanted) wake();
      });
  }

  return {
    start() {
      wake();
      timer = setInterval(wake, POLL_INTERVAL_MS);
      timer.unref();
    },
    async runRound() {
      wake();
      while (taking !== undefined || inFlight.size > 0) {
        await (taking ?? Promise.race(inFlight.values()));
      }
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await taking;
      const cutting = setTimeout(() => cut.abort(), stopGraceMs);
      await Promise.all(inFlight.values());
      clearTimeout(cutting);
    },
  };
}
