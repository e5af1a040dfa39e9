import type { Logger } from 'pino';
import type { Queryable } from '../database/database.js';
import type { RulesetOutbox } from '../publisher/ruleset-outbox.js';
import { billingEventRepository } from './billing-event-repository.js';
import type { PlanAccess } from './plan-access.js';
import { recordRetentionChange } from './plan-change.js';
import type { Reconciliation } from './reconciliation.js';
import { subscriptionRepository } from './subscription-repository.js';

const ROUND_INTERVAL_MS = 30_000;
const DAY_MS = 24 * 3600 * 1000;
const LAPSES_PER_ROUND = 100;
/** Longer than a provider repeats what it tells. An event told again later is found to be late by its own time. */
const KEPT_EVENT_DAYS = 90;
/** Of one statement, so that it holds locks for a short time only. */
const FORGOTTEN_AT_ONCE = 1_000;

export interface BillingUpkeepDeps {
  readonly database: Queryable;
  readonly outbox: RulesetOutbox;
  readonly access: PlanAccess;
  readonly reconciliation: Reconciliation;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * What the clock does to subscriptions. Access ends by itself, whenever it is looked at; this tells data planes,
 * asks the provider what became of the subscription, and once a day asks about all of them and forgets old events.
 * Several control planes share the work.
 */
export interface BillingUpkeep {
  start(): void;
  /**
   * Sees to what has ended by now. Resolves to the number of subscriptions. One that the provider cannot be asked
   * about is logged, and left to the question about all of them.
   */
  runRound(): Promise<number>;
  /** Forgets the events that nobody will tell again. */
  forgetOldEvents(): Promise<void>;
  stop(): Promise<void>;
}

export function createBillingUpkeep(deps: BillingUpkeepDeps): BillingUpkeep {
  const { database, outbox, access, reconciliation, logger, now } = deps;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<unknown> = Promise.resolve();
  let dailyAtMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;

  async function runRound(): Promise<number> {
    const lapsed = await outbox.commit(async (tx, record) => {
      const taken = await subscriptionRepository.takeLapsed(tx, new Date(now()), LAPSES_PER_ROUND);
      for (const { userId } of taken) await recordRetentionChange(tx, record, userId);
      return taken;
    });
    for (const { id, userId } of lapsed) {
      access.forget(userId);
      await reconciliation.reconcile(id).catch((error: unknown) => {
        logger.warn({ err: error, subscription: id }, 'what became of a subscription could not be asked');
      });
    }
    return lapsed.length;
  }

  async function forgetOldEvents(): Promise<void> {
    const old = { days: KEPT_EVENT_DAYS, limit: FORGOTTEN_AT_ONCE };
    let forgotten: number;
    do {
      forgotten = await billingEventRepository.deleteOld(database, old);
    } while (forgotten === FORGOTTEN_AT_ONCE && !isStopping);
  }

  async function runDue(): Promise<void> {
    await runRound();
    if (now() - dailyAtMs < DAY_MS) return;
    dailyAtMs = now();
    logger.info(await reconciliation.reconcileAll(), 'subscriptions reconciled');
    await forgetOldEvents();
  }

  return {
    start() {
      timer = setInterval(() => {
        round = round.then(runDue).catch((error: unknown) => {
          logger.warn({ err: error }, 'the upkeep of subscriptions failed; trying again at the next round');
        });
      }, ROUND_INTERVAL_MS);
      timer.unref();
    },
    runRound,
    forgetOldEvents,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await round;
    },
  };
}
