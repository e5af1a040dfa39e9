import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { BackgroundWork } from '../../jobs/background-work.js';
import type { Database } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { isFailed, standingAfter } from './check-result.js';
import type { CheckDestination } from './destination-check.js';
import { type ClaimedSite, type DueDestination, destinationQueue } from './destination-queue.js';

const POLL_INTERVAL_MS = 2_000;
/** Maximum concurrent checks. */
const MAX_IN_FLIGHT = 16;
/** Maximum concurrent checks of one user. Slow destinations of one user must not delay others. */
const MAX_PER_USER = 8;
/** Duration of a claim. A check takes less. */
const LEASE_SECONDS = 120;
/** Minimum time between two checks of destinations of one site. */
const SITE_INTERVAL_SECONDS = 5;
/** Delay of a check whose site was busy. */
const POSTPONED_SECONDS = 60;
const STOP_GRACE_MS = 2_000;

export interface CheckDispatcherDeps {
  readonly database: Database;
  readonly check: CheckDestination;
  readonly metrics: Registry;
  readonly logger: Logger;
  readonly siteIntervalSeconds?: number | undefined;
}

/** Checks due destinations: one at a time per site, several sites concurrently. Users take turns. */
export interface CheckDispatcher extends BackgroundWork {
  /** Checks all due destinations. Resolves when no destination is due. */
  runRound(): Promise<void>;
}

export function createCheckDispatcher(deps: CheckDispatcherDeps): CheckDispatcher {
  const { database, check, logger, siteIntervalSeconds = SITE_INTERVAL_SECONDS } = deps;
  const countCheck = createCheckCounter(deps.metrics);
  const stopping = new AbortController();
  const inFlight = new Map<Promise<void>, string>();
  let lastUserId = '';
  let timer: NodeJS.Timeout | undefined;
  let taking: Promise<void> | undefined;

  function busyUsers(): string[] {
    const counts = new Map<string, number>();
    for (const userId of inFlight.values()) counts.set(userId, (counts.get(userId) ?? 0) + 1);
    return [...counts].flatMap(([userId, count]) => (count >= MAX_PER_USER ? [userId] : []));
  }

  async function release(site: ClaimedSite, intervalSeconds: number): Promise<void> {
    await database.transaction(async (tx) => {
      if (await destinationQueue.hold(tx, site)) await destinationQueue.release(tx, site, intervalSeconds);
    });
  }

  async function checkOne(site: ClaimedSite, due: DueDestination): Promise<void> {
    const result = await check(due.url, stopping.signal);
    await database.transaction(async (tx) => {
      if (!(await destinationQueue.hold(tx, site))) return;
      if (result === undefined) await destinationQueue.postpone(tx, due.id, POSTPONED_SECONDS);
      else {
        const next = standingAfter(due, result, Date.now());
        await destinationQueue.settle(tx, due, result, next);
      }
      await destinationQueue.release(tx, site, siteIntervalSeconds);
    });
    if (result !== undefined) countCheck(isFailed(result));
  }

  async function work(site: ClaimedSite): Promise<void> {
    try {
      const due = await destinationQueue.takeDue(database, site);
      if (due === undefined) await release(site, 0);
      else await checkOne(site, due);
    } catch (error) {
      // Another process continues when the lease ends.
      if (!stopping.signal.aborted)
        logger.warn({ err: error, site: site.site }, 'a destination was not checked');
      else await release(site, 0).catch(() => undefined);
    }
  }

  /** Starts the checks of due sites. Resolves to their number. */
  async function takeSome(): Promise<number> {
    const limit = MAX_IN_FLIGHT - inFlight.size;
    if (limit <= 0 || !(await destinationQueue.isAnyDue(database))) return 0;
    const claim = newId();
    const exceptUsers = busyUsers();
    const started = lastUserId;
    let count = 0;
    do {
      const options = { claim, limit, perUser: MAX_PER_USER, leaseSeconds: LEASE_SECONDS, exceptUsers };
      const taken = await destinationQueue.claim(database, { ...options, afterUserId: lastUserId });
      lastUserId = taken.lastUserId;
      count = taken.sites.length;
      for (const site of taken.sites) {
        const ended: Promise<void> = work(site).finally(() => {
          inFlight.delete(ended);
          wake();
        });
        inFlight.set(ended, site.userId);
      }
      // Continue with the first user after the last one.
    } while (count === 0 && lastUserId !== started && lastUserId === '' && !stopping.signal.aborted);
    return count;
  }

  async function takeAll(): Promise<void> {
    while (!stopping.signal.aborted && (await takeSome()) > 0);
  }

  function wake(): void {
    if (stopping.signal.aborted) return;
    taking ??= takeAll()
      .catch((error: unknown) => {
        logger.warn({ err: error }, 'due destinations could not be read; trying again shortly');
      })
      .finally(() => {
        taking = undefined;
      });
  }

  return {
    async runRound() {
      do {
        wake();
        await taking;
        await Promise.all(inFlight.keys());
      } while (await destinationQueue.isAnyDue(database));
    },
    start() {
      wake();
      timer = setInterval(wake, POLL_INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort(new Error('the control plane is stopping'));
      await taking;
      const grace = new Promise((resolve) => setTimeout(resolve, STOP_GRACE_MS).unref());
      await Promise.race([Promise.all(inFlight.keys()), grace]);
    },
  };
}

/** Returns a function that counts a check for Prometheus; `isFailed` is undefined if no request was allowed. */
function createCheckCounter(metrics: Registry) {
  const checks = new Counter({
    name: 'waymark_destination_checks_total',
    help: 'Checks of destinations, by outcome: ok, failed, or refused because of a private address.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of ['ok', 'failed', 'refused']) checks.inc({ outcome }, 0);
  return (isFailed: boolean | undefined) =>
    checks.inc({ outcome: isFailed === undefined ? 'refused' : isFailed ? 'failed' : 'ok' });
}
