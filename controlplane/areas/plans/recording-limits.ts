import { createBackgroundWork } from '../../jobs/background-work.js';
import { type Plan, recordsNothing, UNLIMITED } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import type { FindBusyRedirects } from './busy-redirects.js';
import type { PlanParts } from './plan-parts.js';
import { type RecordingPause, recordingPauseRepository } from './recording-pause-repository.js';

const ROUND_INTERVAL_MS = 5_000;
/** Maximum hosts in one log line. */
const MAX_NAMED_HOSTS = 10;
const STOPPED =
  'recording stopped: these redirects have used up the events of their month. They keep redirecting, and record again next month or with a larger plan';
const RESUMED = 'recording resumed: these redirects have events left again';

type NewPause = Omit<RecordingPause, 'userId'>;

interface RecordingLimitsDeps
  extends Pick<PlanParts, 'outbox' | 'catalogue' | 'access' | 'logger' | 'nowMs'> {
  readonly findBusy: FindBusyRedirects;
}

/**
 * Stops the recording of a redirect that has used up its events of the month (UTC), until the next month or a larger
 * plan. Redirecting continues. Until the data planes know it, some seconds of further hits are recorded.
 */
export function createRecordingLimits(deps: RecordingLimitsDeps) {
  const { outbox, catalogue, access, findBusy, logger, nowMs } = deps;
  // With a limit of 0, data planes record nothing. While they still apply the former plan, the first hit exceeds the
  // limit.
  const finite = catalogue.plans.map(eventLimitOf).filter((limit) => limit !== UNLIMITED);
  const thresholds = finite.flatMap((limit) => [Math.max(1, limit), approachingFrom(limit)]);
  const limits = [...new Set(thresholds)].sort((one, other) => one - other);
  let notedMonth = '';

  /** Returns an empty map if usage cannot be counted. Then no redirect is paused, and expired pauses still end. */
  async function busyIn(month: Date): Promise<ReadonlyMap<string, number>> {
    // No plan has a limit, but redirects may still be paused under former plans.
    if (limits.length === 0) return new Map();
    return findBusy(limits, month).catch((error: unknown) => {
      logger.warn({ err: error }, 'use could not be counted; trying again at the next round');
      return new Map();
    });
  }

  async function compare(
    tx: Queryable,
    busy: ReadonlyMap<string, number>,
    month: string,
  ): Promise<{
    readonly over: readonly string[];
    readonly usedUp: readonly NewPause[];
    readonly uses: readonly EventUse[];
  }> {
    const pauses = await recordingPauseRepository.list(tx);
    const owners = await recordingPauseRepository.ownersOf(tx, [...busy.keys()]);
    const users = new Set([...owners.values(), ...pauses.map(({ userId }) => userId)]);
    const plans = await access.plansOf(tx, [...users]);
    const limitOf = (userId: string) => eventLimitOf(plans.get(userId) ?? catalogue.defaultPlan);
    return {
      uses: [...owners].map(([redirectId, userId]) => ({
        redirectId,
        used: busy.get(redirectId) ?? 0,
        limit: limitOf(userId),
      })),
      over: pauses
        .filter((pause) => pause.month !== month || allowsMore(limitOf(pause.userId), pause.eventLimit))
        .map(({ redirectId }) => redirectId),
      usedUp: [...owners]
        .map(([redirectId, userId]) => ({ redirectId, month, eventLimit: limitOf(userId) }))
        .filter(({ redirectId, eventLimit }) => !allowsMore(eventLimit, busy.get(redirectId) ?? 0)),
    };
  }

  async function runRound(): Promise<void> {
    const today = new Date(nowMs());
    const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth()));
    const busy = await busyIn(month);
    const monthName = month.toISOString().slice(0, 7);
    const { resumed, paused } = await outbox.commit(async (tx, record) => {
      const { over, usedUp, uses } = await compare(tx, busy, monthName);
      await announceEventUse(tx, monthName, uses);
      if (monthName !== notedMonth) await forgetEventUse(tx, monthName);
      const resumed = await recordingPauseRepository.resume(tx, over);
      const paused = await recordingPauseRepository.pause(tx, usedUp);
      for (const host of [...resumed, ...paused]) record(host);
      return { resumed, paused };
    });
    notedMonth = monthName;
    const named = (hosts: readonly string[]) => ({
      redirects: hosts.length,
      hosts: hosts.slice(0, MAX_NAMED_HOSTS),
    });
    if (paused.length > 0) logger.warn(named(paused), STOPPED);
    if (resumed.length > 0) logger.info(named(resumed), RESUMED);
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'use and limits could not be compared; trying again at the next round',
  });
  return work;
}

function eventLimitOf({ perRedirect }: Plan): number {
  return perRedirect.maxAnalyticsEventsPerMonth;
}

function allowsMore(limit: number, events: number): boolean {
  return limit === UNLIMITED || events < limit;
}

/** Returns a function that checks whether the plan currently stops a redirect from recording visits. */
export function createRecordingState({ database, access }: Pick<PlanParts, 'database' | 'access'>) {
  return async (userId: string, redirectId: string): Promise<boolean> =>
    recordsNothing(await access.planOf(userId)) || recordingPauseRepository.isPaused(database, redirectId);
}

/** Share of a limit from which owners get a notice. */
const APPROACHING = 0.8;

/** Returns the number of events from which the owner gets a notice. */
function approachingFrom(limit: number): number {
  return Math.max(1, Math.ceil(limit * APPROACHING));
}

/** The events of a redirect in a month. */
interface EventUse {
  readonly redirectId: string;
  readonly used: number;
  readonly limit: number;
}

/**
 * Notifies owners whose redirects approach or reach their events of the month. Each notice is sent once per redirect,
 * month and kind.
 */
async function announceEventUse(tx: Queryable, month: string, uses: readonly EventUse[]): Promise<void> {
  const notable = uses.filter(({ used, limit }) => limit > 0 && used >= approachingFrom(limit));
  if (notable.length === 0) return;
  const kinds = notable.map(({ used, limit }) => (used >= limit ? 'limit_reached' : 'approaching_limit'));
  const rows = await tx.query<NoticeRow>(
    `WITH added AS (
       INSERT INTO usage_notices (redirect_id, month, kind)
       SELECT redirects.id, $3, kind FROM unnest($1::text[], $2::text[]) AS new (redirect_id, kind)
         JOIN redirects ON redirects.id = redirect_id
       ON CONFLICT DO NOTHING RETURNING redirect_id, kind)
     SELECT redirect_id, kind, user_id, from_domain FROM added JOIN redirects ON id = redirect_id`,
    [notable.map(({ redirectId }) => redirectId), kinds, month],
  );
  const useOf = new Map(notable.map((use) => [use.redirectId, use]));
  for (const { redirect_id: redirectId, kind, user_id: userId, from_domain: domain } of rows) {
    const { used = 0, limit: allowed = 0 } = useOf.get(redirectId) ?? {};
    const data = { limit: 'analyticsEvents', redirectId, domain, month, used, allowed };
    await emit(tx, userId, `usage.${kind}`, data);
  }
}

interface NoticeRow {
  readonly redirect_id: string;
  readonly kind: 'approaching_limit' | 'limit_reached';
  readonly user_id: string;
  readonly from_domain: string;
}

/** Deletes the records of notices about earlier months. */
async function forgetEventUse(source: Queryable, month: string): Promise<void> {
  await source.query('DELETE FROM usage_notices WHERE month < $1', [month]);
}
