import type { Interval } from '../intervals.js';
import { iso, type Period } from '../period.js';
import type { Asked, Expected } from './asked.fixture.js';
import {
  average,
  changeInPercent,
  distinctVisitors,
  percentage,
  rowShare,
  uniqueVisitors,
  visitorsChange,
  visitorsOfRow,
} from './estimates.fixture.js';
import type { KnownHit } from './random-traffic.fixture.js';
import { countsOf, ranked, rowsOf } from './ranked.fixture.js';
import { clockOf, type ZonedClock } from './zoned-clock.fixture.js';

export const isBot = (hit: KnownHit) => hit.is_bot === 1;
const isSuccess = ({ status_code }: KnownHit) => status_code >= 200 && status_code < 400;

function basicOf(
  { timezone }: Asked,
  period: Period,
  hits: readonly KnownHit[],
  audience: readonly KnownHit[],
) {
  const clock = clockOf(timezone);
  // Days as texts sort correctly, because all have the same length.
  const [peak] = ranked(hits, ({ timeMs }) => [{ day: clock.bucketOf(timeMs, 'day') }]);
  const botHits = hits.filter(isBot).length;
  return {
    totalHits: hits.length,
    uniqueVisitors: uniqueVisitors(audience),
    botHits,
    humanHits: hits.length - botHits,
    avgHitsPerDay: average(hits.length, clock.bucketsOf(period, 'day').length),
    peakHits: peak?.hits.length ?? 0,
    peakDate: peak === undefined ? null : iso(clock.momentOf(Number(peak.key.day))),
    successRate: percentage(hits.filter(isSuccess).length, hits.length),
  };
}

export function basic(asked: Asked): Expected {
  return { data: basicOf(asked, asked.period, asked.hits, asked.audience), meta: {} };
}

export function time({ period, hits, audience, query, timezone }: Asked): Expected {
  const interval = (query.interval ?? 'day') as Interval;
  // Days of other zones differ from those of the roll-up.
  const visitorsOf = interval === 'hour' || timezone !== 'UTC' ? visitorsOfRow : uniqueVisitors;
  const clock = clockOf(timezone);
  const hitsIn = byBucket(clock, hits, interval);
  const audienceIn = byBucket(clock, audience, interval);
  const timeSeries = clock.bucketsOf(period, interval).map(({ bucket, startMs }) => {
    const ofBucket = hitsIn(bucket);
    const botHits = ofBucket.filter(isBot).length;
    return {
      timestamp: iso(startMs),
      hits: ofBucket.length,
      uniqueVisitors: visitorsOf(audienceIn(bucket)),
      botHits,
      humanHits: ofBucket.length - botHits,
    };
  });
  const peakHits = Math.max(...timeSeries.map((point) => point.hits));
  const peak = timeSeries.find((point) => point.hits > 0 && point.hits === peakHits);
  const avgHits = average(hits.length, timeSeries.length);
  const summary = { totalHits: hits.length, peakHits, peakTimestamp: peak?.timestamp ?? null, avgHits };
  return {
    data: { timeSeries, summary },
    meta: { interval, series: { timeSeries: series(interval, timezone) } },
  };
}

/** `meta` of a list that is a series. */
export const series = (unit: string, timezone: string) => ({ unit, timezone });

export const metaOfBefore = ({ periodBefore: { startMs, endMs } }: Asked) => ({
  previousPeriod: { start: iso(startMs), end: iso(endMs) },
});

export function comparison(asked: Asked): Expected {
  const { period, periodBefore, hits, audience, hitsBefore, audienceBefore } = asked;
  const whole = audience.length + audienceBefore.length;
  const row = (name: string, { startMs, endMs }: Period, of: readonly KnownHit[]) => ({
    period: name,
    start: iso(startMs),
    end: iso(endMs),
    ...countsOf(of, whole),
  });
  const current = row('current', period, audience);
  const previous = row('previous', periodBefore, audienceBefore);
  const basics = basicOf(asked, period, hits, audience);
  const basicsBefore = basicOf(asked, periodBefore, hitsBefore, audienceBefore);
  const bots = hits.filter(isBot).length;
  const botsBefore = hitsBefore.filter(isBot).length;
  const change = {
    hits: changeInPercent(hits.length, hitsBefore.length),
    uniqueVisitors: visitorsChange(audience, audienceBefore),
    botHits: changeInPercent(bots, botsBefore),
    humanHits: changeInPercent(hits.length - bots, hitsBefore.length - botsBefore),
    avgHitsPerDay: changeInPercent(basics.avgHitsPerDay, basicsBefore.avgHitsPerDay),
  };
  return {
    data: {
      periods: audience.length >= audienceBefore.length ? [current, previous] : [previous, current],
      summary: {
        current: basics,
        previous: basicsBefore,
        change,
      },
    },
    meta: { ...metaOfBefore(asked), series: { periods: series('period', asked.timezone) } },
  };
}

export function overview(asked: Asked) {
  const { period, hits, audience, hitsBefore, audienceBefore } = asked;
  const { totalHits, avgHitsPerDay, successRate, ...basics } = basicOf(asked, period, hits, audience);
  return {
    totalHits,
    uniqueVisitors: basics.uniqueVisitors,
    botsPercentage: percentage(basics.botHits, totalHits),
    avgHitsPerDay,
    successRate,
    change: {
      hits: changeInPercent(hits.length, hitsBefore.length),
      uniqueVisitors: visitorsChange(audience, audienceBefore),
    },
  };
}

/** Returns the hits of each bucket, grouped once: an hourly series of years has tens of thousands. */
function byBucket(
  clock: ZonedClock,
  hits: readonly KnownHit[],
  interval: Interval,
): (bucket: string) => readonly KnownHit[] {
  const hitsOf = new Map<string, KnownHit[]>();
  for (const hit of hits) {
    const bucket = clock.bucketOf(hit.timeMs, interval);
    const found = hitsOf.get(bucket);
    if (found === undefined) hitsOf.set(bucket, [hit]);
    else found.push(hit);
  }
  return (bucket) => hitsOf.get(bucket) ?? [];
}

/** Returns every date of the period with its hits. */
function datesOf({ period, timezone }: Asked, hits: readonly KnownHit[]) {
  const clock = clockOf(timezone);
  const hitsIn = byBucket(clock, hits, 'day');
  return clock
    .bucketsOf(period, 'day')
    .map(({ bucket }) => ({ date: iso(Number(bucket)).slice(0, 10), hits: hitsIn(bucket) }));
}

export function dailyTrends(asked: Asked) {
  return datesOf(asked, asked.hits).map(({ date, hits }) => ({ date, count: hits.length }));
}

const VISITS = [
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 4],
  [5, 5],
  [6, 10],
  [11, 20],
  [21, 50],
  [51, null],
] as const;

export function returnVisitors({ audience, timezone }: Asked): Expected {
  const byVisitor = ranked(audience, ({ visitor_id }) => [{ visitor_id }]);
  const isReturning = new Set(
    byVisitor.filter(({ hits }) => hits.length > 1).map(({ key }) => key.visitor_id),
  );
  const typeOf = (hit: KnownHit) => (isReturning.has(hit.visitor_id) ? 'returning' : 'single');
  const visitors = ranked(audience, (hit) => [{ visitorType: typeOf(hit) }]).map(({ key, hits }) => ({
    ...key,
    ...countsOf(hits, audience.length),
    uniqueVisitors: distinctVisitors(hits),
  }));
  const summary = {
    totalHits: audience.length,
    uniqueVisitors: byVisitor.length,
    returningVisitors: isReturning.size,
    returningPercentage: percentage(isReturning.size, byVisitor.length),
    avgHitsPerVisitor: average(audience.length, byVisitor.length),
  };
  const distribution = VISITS.map(([minVisits, maxVisits]) => {
    const those = byVisitor.filter(
      ({ hits }) => hits.length >= minVisits && hits.length <= (maxVisits ?? Number.POSITIVE_INFINITY),
    );
    const share = rowShare(those.length, byVisitor.length);
    return { minVisits, maxVisits, uniqueVisitors: those.length, percentage: share };
  });
  return {
    data: { visitors, distribution, summary },
    meta: {
      visitorSampleRate: 1,
      series: { distribution: series('visits-per-visitor', timezone) },
    },
  };
}

export function statusCodes({ audience }: Asked): Expected {
  const groups = ranked(audience, ({ status_code }) => [{ statusCode: status_code }]);
  const summary = {
    totalStatusCodes: groups.length,
    topStatusCode: groups[0]?.key.statusCode ?? null,
    successRate: percentage(audience.filter(isSuccess).length, audience.length),
  };
  return { data: { statusCodes: rowsOf(groups), summary }, meta: {} };
}

export function errors({ includeBots, allHits, audience }: Asked): Expected {
  const all = includeBots === false ? audience : allHits;
  const coded = (hits: readonly KnownHit[]) =>
    ranked(hits, ({ status_code }) => [{ statusCode: status_code }]);
  const failed = all.filter(({ status_code }) => status_code >= 400);
  const succeeded = all.filter(({ status_code }) => status_code < 400);
  const summary = {
    totalHits: all.length,
    errorHits: failed.length,
    successHits: succeeded.length,
    errorRate: percentage(failed.length, all.length),
    successRate: percentage(succeeded.length, all.length),
    topStatusCode: coded(failed)[0]?.key.statusCode ?? null,
  };
  return {
    data: { errors: rowsOf(coded(failed)), successes: rowsOf(coded(succeeded)), summary },
    meta: {},
  };
}

export function bots(asked: Asked): Expected {
  const { allHits } = asked;
  const ofBots = allHits.filter(isBot);
  const groups = ranked(ofBots, ({ bot_reason }) => [{ botReason: bot_reason || 'unknown' }]);
  const daily = datesOf(asked, ofBots).map(({ date, hits }) => ({
    date,
    hits: hits.length,
    uniqueVisitors: visitorsOfRow(hits),
  }));
  const summary = {
    totalHits: allHits.length,
    botHits: ofBots.length,
    humanHits: allHits.length - ofBots.length,
    botsPercentage: percentage(ofBots.length, allHits.length),
    topBotReason: groups[0]?.key.botReason ?? null,
  };
  return {
    data: { bots: rowsOf(groups), daily, summary },
    meta: { series: { daily: series('day', asked.timezone) } },
  };
}
