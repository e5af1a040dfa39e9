import { settledWithin } from '../../../shared/async/deadline.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { recordRetentionChange } from '../plans/public.js';
import { billingEventRepository } from './billing-event-repository.js';
import type { BillingParts } from './billing-parts.js';
import { checkoutRepository } from './checkout-repository.js';
import { type Lapse, type LapseLimits, lapseRepository } from './lapse-repository.js';
import type { Reconciliation } from './reconciliation.js';

const ROUND_INTERVAL_MS = 30_000;
const DAY_MS = 24 * 3600 * 1000;
const LAPSES_PER_ROUND = 100;
/** Longer than a provider repeats its events. An event that is repeated later is recognised as late by its own time. */
const KEPT_DAYS = 90;
/** Maximum rows per statement. A small number keeps locks short. */
const FORGOTTEN_AT_ONCE = 1_000;
/** Maximum time to wait for an answer of the provider. The request is repeated in a later round. */
const STOP_TIMEOUT_MS = 4_000;

export interface BillingUpkeepDeps
  extends Pick<BillingParts, 'database' | 'outbox' | 'access' | 'logger' | 'nowMs'> {
  /** Current payment provider. */
  readonly provider: string;
  readonly reconciliation: Reconciliation;
  /** Maximum time that a request to the provider delays the stop of the process. Default: 4,000. */
  readonly stopTimeoutMs?: number;
}

/**
 * Periodic work on subscriptions. Access also ends without it. It publishes ended access to data planes and asks the
 * provider about ended subscriptions. Once a day it asks about all subscriptions and deletes old records. Several
 * control planes share the work.
 */
export interface BillingUpkeep extends BackgroundWork {
  /**
   * Handles subscriptions that have ended by now. Resolves to their number. If the provider cannot be asked about
   * one, logs it and leaves it to the daily check of all subscriptions.
   */
  runRound(): Promise<number>;
  /** Deletes old events and checkout sessions. */
  forgetOld(): Promise<void>;
  /**
   * Updates data planes for subscriptions that changed validity because the payment provider changed. The log counts
   * subscriptions that continue at another provider, because this installation cannot see their state.
   */
  takeOver(): Promise<void>;
  /** Resolves within five seconds. Waits for the current request and starts no other. */
  stop(): Promise<void>;
}

export function createBillingUpkeep(deps: BillingUpkeepDeps): BillingUpkeep {
  const { database, outbox, access, provider, reconciliation, logger, nowMs } = deps;
  const { stopTimeoutMs = STOP_TIMEOUT_MS } = deps;
  let dailyAtMs = Number.NEGATIVE_INFINITY;
  let isTakenOver = false;
  const stopping = new AbortController();

  /** Selects subscriptions, and publishes the effect of their state to data planes. */
  function publishLapses(take: (tx: Queryable, limits: LapseLimits) => Promise<Lapse[]>): Promise<Lapse[]> {
    return outbox.commit(async (tx, record) => {
      const taken = await take(tx, { provider, now: new Date(nowMs()), limit: LAPSES_PER_ROUND });
      for (const { userId } of taken) await recordRetentionChange(tx, record, userId);
      return taken;
    });
  }

  async function runRound(): Promise<number> {
    const lapsed = await publishLapses(lapseRepository.takeLapsed);
    for (const { userId } of lapsed) access.forget(userId);
    for (const { id } of lapsed) {
      if (stopping.signal.aborted) break;
      await reconciliation.reconcile(id).catch((error: unknown) => {
        logger.warn({ err: error, subscription: id }, 'what became of a subscription could not be asked');
      });
    }
    return lapsed.length;
  }

  async function forgetOld(): Promise<void> {
    const old = { days: KEPT_DAYS, limit: FORGOTTEN_AT_ONCE };
    for (const { deleteOld } of [billingEventRepository, checkoutRepository]) {
      let forgotten: number;
      do {
        forgotten = await deleteOld(database, old);
      } while (forgotten === FORGOTTEN_AT_ONCE && !stopping.signal.aborted);
    }
  }

  async function takeOver(): Promise<void> {
    let switched: number;
    do {
      switched = (await publishLapses(lapseRepository.takeSwitched)).length;
    } while (switched === LAPSES_PER_ROUND && !stopping.signal.aborted);
    const foreign = await lapseRepository.countForeign(database, provider);
    if (foreign === 0) return;
    logger.warn(
      { provider, subscriptions: foreign },
      'subscriptions run with another provider than the one that takes the money now: they give no plan, and may be charged for there',
    );
  }

  async function runDue(): Promise<void> {
    if (!isTakenOver) await takeOver();
    isTakenOver = true;
    await runRound();
  }

  async function runDaily(): Promise<void> {
    if (nowMs() - dailyAtMs < DAY_MS) return;
    await forgetOld();
    const reconciled = await reconciliation.reconcileAll(stopping.signal);
    if (stopping.signal.aborted) return;
    logger.info(reconciled, 'subscriptions reconciled');
    dailyAtMs = nowMs();
  }

  const inRounds = (runRound: () => Promise<void>) =>
    createBackgroundWork({
      intervalMs: ROUND_INTERVAL_MS,
      runRound,
      logger,
      failure: 'the upkeep of subscriptions failed; trying again at the next round',
    });
  const rounds = inRounds(runDue);
  // A separate task: a check of many subscriptions takes hours, and must not delay the end of access.
  const daily = inRounds(runDaily);

  return {
    start() {
      rounds.start();
      daily.start();
    },
    runRound,
    forgetOld,
    takeOver,
    async stop() {
      stopping.abort();
      const isOver = await settledWithin(stopTimeoutMs, Promise.all([rounds.stop(), daily.stop()]));
      if (!isOver)
        logger.warn('the upkeep of subscriptions was left in the middle; the next start repairs it');
    },
  };
}
