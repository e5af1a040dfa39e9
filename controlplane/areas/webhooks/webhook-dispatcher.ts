import type { Logger } from 'pino';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { AttemptDelivery } from './delivery-attempt.js';
import { deliveryQueue } from './delivery-queue.js';

const POLL_INTERVAL_MS = 1_000;
/** Messages under way at once: more than the endpoints of one user, so that nobody's hold up everybody's. */
const MAX_IN_FLIGHT = 32;
/** Well above what an attempt can take. */
const LEASE_SECONDS = 60;
const STOP_GRACE_MS = 3_000;

export interface WebhookDispatcherDeps {
  readonly database: Queryable;
  readonly attempt: AttemptDelivery;
  readonly logger: Logger;
  /** Time that running attempts have when the dispatcher stops. */
  readonly stopGraceMs?: number | undefined;
}

/**
 * Sends what is due: at once a bounded number of messages, and one to each endpoint. Several control planes share
 * the work. A message is sent at least once: again if the process dies before it is written what came of it.
 */
export interface WebhookDispatcher {
  start(): void;
  /** Sends what is due. Resolves when nothing is due any more. */
  runRound(): Promise<void>;
  /** Waits a moment for what is under way, and leaves the rest to the next start. */
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

  /** Resolves to whether there was anything to take. */
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

  /** One claim at a time; what is wanted meanwhile is done after it, as an endpoint may have become free. */
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
