import type { Logger } from 'pino';
import { UNLIMITED } from '../accounts/plans.js';
import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import type { Queryable } from '../database/database.js';
import type { RulesetOutbox } from '../publisher/ruleset-outbox.js';
import type { PlanAccess } from './plan-access.js';
import type { PlanCatalogue } from './plan-catalogue.js';
import { recordingPauseRepository } from './recording-pause-repository.js';

const ROUND_INTERVAL_MS = 5_000;

/** Redirects with at least so many recorded events since a moment, and how many. */
export type FindBusyRedirects = (atLeast: number, since: Date) => Promise<ReadonlyMap<string, number>>;

/** By the analytics' own count. */
export function createBusyRedirects(store: AnalyticsStore): FindBusyRedirects {
  return async (atLeast, since) => {
    const rows = await store.query<{ id: string; hits: number }>(
      `SELECT redirect_id AS id, count() AS hits FROM hits
       WHERE timestamp >= toDateTime64({since:String}, 3, 'UTC')
       GROUP BY redirect_id HAVING hits >= {atLeast:UInt64}`,
      { since: since.toISOString().replace('T', ' ').replace('Z', ''), atLeast },
    );
    return new Map(rows.map(({ id, hits }) => [id, hits]));
  };
}

export interface RecordingLimitsDeps {
  readonly outbox: RulesetOutbox;
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
  readonly findBusy: FindBusyRedirects;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Has data planes cease to record the hits of a redirect that has used up its events of the month (UTC), until the
 * month or the plan is another one. Redirecting goes on. What comes in until data planes have heard of it, which
 * is some seconds of traffic, is recorded on top.
 */
export interface RecordingLimits {
  start(): void;
  /** Compares use and limits now. */
  runRound(): Promise<void>;
  stop(): Promise<void>;
}

export function createRecordingLimits(deps: RecordingLimitsDeps): RecordingLimits {
  const { outbox, catalogue, access, findBusy, logger, now } = deps;
  const limits = catalogue.plans
    .map(({ perRedirect }) => perRedirect.maxAnalyticsEventsPerMonth)
    .filter((limit) => limit !== UNLIMITED);
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function usedUp(tx: Queryable, busy: ReadonlyMap<string, number>): Promise<string[]> {
    const owners = await recordingPauseRepository.ownersOf(tx, [...busy.keys()]);
    const plans = await access.plansOf(tx, [...new Set(owners.values())]);
    return [...owners]
      .filter(([redirectId, userId]) => {
        const limit = plans.get(userId)?.perRedirect.maxAnalyticsEventsPerMonth ?? UNLIMITED;
        return limit !== UNLIMITED && (busy.get(redirectId) ?? 0) >= limit;
      })
      .map(([redirectId]) => redirectId);
  }

  async function runRound(): Promise<void> {
    if (limits.length === 0) return;
    const today = new Date(now());
    const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth()));
    const busy = await findBusy(Math.min(...limits), month);
    await outbox.commit(async (tx, record) => {
      const redirectIds = await usedUp(tx, busy);
      const resumed = await recordingPauseRepository.resumeExcept(tx, redirectIds);
      const paused = await recordingPauseRepository.pause(tx, redirectIds);
      for (const host of [...resumed, ...paused]) record(host);
    });
  }

  return {
    start() {
      timer = setInterval(() => {
        round = round.then(runRound).catch((error: unknown) => {
          logger.warn({ err: error }, 'use and limits could not be compared; trying again at the next round');
        });
      }, ROUND_INTERVAL_MS);
      timer.unref();
    },
    runRound,
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
