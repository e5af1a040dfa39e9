import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClickIds } from '../../../shared/visitor/click-id.js';
import { AppError } from '../../errors/app-error.js';
import { type AnalyticsRepository, DAY_MS, type ShownVisitor } from '../analytics/public.js';
import { CLOCK_SKEW_MS, type NewConversion } from './conversion-input.js';

/** A conversion whose visitor is known. */
export interface JoinedConversion extends NewConversion {
  /** The stored hash, 16 hexadecimal digits. */
  readonly visitor: string;
}

export interface LookupQuestion {
  readonly select: AnalyticsRepository['select'];
  readonly ownerId: string;
  readonly redirectId: string;
  readonly ruleId: number;
}

/** Clicks per statement. ClickHouse limits the size of a parameter. */
const CLICKS_AT_ONCE = 2_000;
/** An invented click id can hold any time. Ids with an impossible time are not searched for. */
const POSSIBLE_MS = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2100, 0, 1) };
/** A shown id can be used for so long. It belongs to the month of the hit. */
const REACH_DAYS = 90;
const VISITORS_PER_PAGE = 50_000;
/** Maximum visitors to search. Computing their shown ids takes 1.5 s, in turns of some milliseconds. */
const MAX_VISITORS = 500_000;
const VISITORS_PER_TURN = 1_000;

const OF_RULE = 'redirect_id = {redirect:String} AND rule_id = {rule:UInt64}';
const BETWEEN = `timestamp BETWEEN fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;

/**
 * Finds the visitors of conversions among the recorded hits of a rule. Omits conversions of other visitors.
 *
 * @param shownVisitor returns the visitor's id for a month as shown to the owner
 * @param clickIds readers by the current and earlier secrets
 * @throws {AppError} VALIDATION_ERROR if there are too many visitors to search for shown ids, SERVICE_UNAVAILABLE
 */
export function createVisitorLookup(shownVisitor: ShownVisitor, clickIds: readonly ClickIds[]) {
  return async (
    question: LookupQuestion,
    conversions: readonly NewConversion[],
  ): Promise<JoinedConversion[]> => {
    const clicks = await findClicks(question, readClicks(clickIds, conversions));
    const visitors = await findVisitors(question, shownVisitor, conversions);
    return conversions.flatMap((conversion): JoinedConversion[] => {
      const { joinedBy } = conversion;
      if (joinedBy.kind === 'visitor') {
        const visitor = visitors.get(joinedBy.visitorId);
        return visitor === undefined ? [] : [{ ...conversion, visitor }];
      }
      const click = clicks.get(joinedBy.clickId);
      return click === undefined
        ? []
        : [{ ...conversion, visitor: click.visitorId, atMs: afterClick(conversion, click) }];
    });
  };
}

export type VisitorLookup = ReturnType<typeof createVisitorLookup>;

interface CandidateClick {
  readonly clickId: string;
  readonly visitorId: string;
  readonly timeMs: number;
}

/** A conversion comes after its click, even if the clock of the owner's server says otherwise. */
function afterClick({ atMs }: NewConversion, { timeMs }: CandidateClick): number {
  return atMs < timeMs && atMs >= timeMs - CLOCK_SKEW_MS ? timeMs : atMs;
}

function readClicks(readers: readonly ClickIds[], conversions: readonly NewConversion[]): CandidateClick[] {
  return conversions.flatMap(({ joinedBy }) => {
    if (joinedBy.kind !== 'click') return [];
    const { clickId } = joinedBy;
    return readers.flatMap((reader) => {
      const click = reader.read(clickId);
      return click === undefined || !isPossible(click.timeMs) ? [] : [{ clickId, ...click }];
    });
  });
}

function isPossible(timeMs: number): boolean {
  return timeMs >= POSSIBLE_MS.from && timeMs < POSSIBLE_MS.to;
}

/** Returns the clicks with a recorded hit, by their ids. */
async function findClicks(
  { select, redirectId, ruleId }: LookupQuestion,
  candidates: readonly CandidateClick[],
): Promise<ReadonlyMap<string, CandidateClick>> {
  const found = new Map<string, CandidateClick>();
  for (let first = 0; first < candidates.length; first += CLICKS_AT_ONCE) {
    const some = candidates.slice(first, first + CLICKS_AT_ONCE);
    const times = [...new Set(some.map(({ timeMs }) => timeMs))];
    const hits = await select<{ visitorId: string; timeMs: number }>(
      `SELECT DISTINCT visitor_hash AS visitorId, toUnixTimestamp64Milli(timestamp) AS timeMs FROM hits
       WHERE ${OF_RULE} AND ${BETWEEN} AND toUnixTimestamp64Milli(timestamp) IN {times:Array(Int64)}
         AND visitor_hash IN {visitors:Array(String)}`,
      {
        redirect: redirectId,
        rule: ruleId,
        from: Math.min(...times),
        to: Math.max(...times),
        times,
        visitors: [...new Set(some.map(({ visitorId }) => visitorId))],
      },
    );
    const recorded = new Set(hits.map(({ visitorId, timeMs }) => `${visitorId} ${timeMs}`));
    for (const click of some) {
      if (recorded.has(`${click.visitorId} ${click.timeMs}`)) found.set(click.clickId, click);
    }
  }
  return found;
}

/** Returns the stored hashes of shown ids. A shown id cannot be reversed, so the visitors of each month are tried. */
async function findVisitors(
  question: LookupQuestion,
  shownVisitor: ShownVisitor,
  conversions: readonly NewConversion[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const wanted = new Set<string>();
  const times: number[] = [];
  for (const { joinedBy, atMs } of conversions) {
    if (joinedBy.kind !== 'visitor') continue;
    wanted.add(joinedBy.visitorId);
    times.push(atMs);
  }
  if (wanted.size === 0) return found;
  let tried = 0;
  const earliestMs = least(times) - REACH_DAYS * DAY_MS;
  for (let month = monthOf(greatest(times)); month.endMs >= earliestMs; month = monthOf(month.startMs - 1)) {
    let after = '';
    for (;;) {
      const visitors = await visitorsOfMonth(question, month, after);
      for (const [index, hash] of visitors.entries()) {
        if (index % VISITORS_PER_TURN === 0) await nextTurn();
        const shown = shownVisitor(question.ownerId, month.startMs, hash);
        if (wanted.delete(shown)) found.set(shown, hash);
        if (wanted.size === 0) return found;
      }
      tried += visitors.length;
      if (visitors.length < VISITORS_PER_PAGE) break;
      if (tried >= MAX_VISITORS) throw tooManyVisitors();
      after = visitors.at(-1) ?? '';
    }
  }
  return found;
}

interface Month {
  readonly startMs: number;
  readonly endMs: number;
}

function monthOf(timeMs: number): Month {
  const time = new Date(timeMs);
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) - 1 };
}

/** @param after hash that the page begins behind; empty for the first page */
async function visitorsOfMonth(
  { select, redirectId, ruleId }: LookupQuestion,
  { startMs, endMs }: Month,
  after: string,
): Promise<string[]> {
  const rows = await select<{ hash: string }>(
    `SELECT visitor_hash AS hash FROM hits WHERE ${OF_RULE} AND ${BETWEEN} AND hash > {after:String}
     GROUP BY hash ORDER BY hash LIMIT {limit:UInt32}`,
    { redirect: redirectId, rule: ruleId, from: startMs, to: endMs, after, limit: VISITORS_PER_PAGE },
  );
  return rows.map(({ hash }) => hash);
}

function tooManyVisitors(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'conversions',
    message: `This rule has more than ${MAX_VISITORS} visitors to search for these values of visitorId. Send clickId instead: set clickIdParam of the redirect.`,
  });
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
}

function greatest(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
}
