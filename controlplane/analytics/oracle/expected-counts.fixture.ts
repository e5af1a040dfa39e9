import type { Interval } from '../intervals.js';
import { DAY_MS, HOUR_MS, iso, type Period } from '../period.js';
import type { Asked, Expected } from './asked.fixture.js';
import {
  average,
  changeInPercent,
  distinctVisitors,
  percentage,
  uniqueVisitors,
  visitorsChange,
  visitorsOfRow,
} from './estimates.fixture.js';
import type { KnownHit } from './random-traffic.fixture.js';
import { countsOf, ranked, rowsOf } from './ranked.fixture.js';

export const isBot = (hit: KnownHit) => hit.is_bot === 1;
const isSuccess = ({ status_code }: KnownHit) => status_code >= 200 && status_code < 400;

/** The start of the bucket in which a time is, worked out by the calendar. */
export function bucketOf(timeMs: number, interval: Interval): number {
  const time = new Date(timeMs);
  if (interval === 'hour') return time.setUTCMinutes(0, 0, 0);
  const dayMs = time.setUTCHours(0, 0, 0, 0);
  if (interval === 'week') return time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7));
  return interval === 'month' ? time.setUTCDate(1) : dayMs;
}

/** The starts of all buckets that a period touches, found hour by hour. */
function bucketsOf({ startMs, endMs }: Period, interval: Interval): number[] {
  const starts = new Set<number>();
  for (let timeMs = startMs; timeMs < endMs; timeMs += HOUR_MS) starts.add(bucketOf(timeMs, interval));
  return [...starts.add(bucketOf(endMs, interval))];
}

const daysOf = (period: Period) => bucketsOf(period, 'day').length;

function basicOf(period: Period, hits: readonly KnownHit[], audience: readonly KnownHit[]) {
  const [peak] = ranked(hits, ({ timeMs }) => [{ day: bucketOf(timeMs, 'day') }]);
  const botHits = hits.filter(isBot).length;
  return {
    totalHits: hits.length,
    uniqueVisitors: uniqueVisitors(audience),
    botHits,
    humanHits: hits.length - botHits,
    avgHitsPerDay: average(hits.length, daysOf(period)),
    peakHits: peak?.hits.length ?? 0,
    peakDate: peak === undefined ? null : iso(peak.key.day),
    successRate: percentage(hits.filter(isSuccess).length, hits.length),
  };
}

export function basic({ period, hits, audience }: Asked): Expected {
  return { data: basicOf(period, hits, audience), meta: {} };
}

export function time({ period, hits, audience, query }: Asked): Expected {
  const interval = (query.interval ?? 'day') as Interval;
  const visitorsOf = interval === 'hour' ? visitorsOfRow : uniqueVisitors;
  const hitsIn = byBucket(hits, interval);
  const audienceIn = byBucket(audience, interval);
  const timeSeries = bucketsOf(period, interval).map((startMs) => {
    const ofBucket = hitsIn(startMs);
    const botHits = ofBucket.filter(isBot).length;
    return {
      timestamp: iso(startMs),
      hits: ofBucket.length,
      uniqueVisitors: visitorsOf(audienceIn(startMs)),
      botHits,
      humanHits: ofBucket.length - botHits,
    };
  });
  const peakHits = Math.max(...timeSeries.map((point) => point.hits));
  const peak = timeSeries.find((point) => point.hits > 0 && point.hits === peakHits);
  const avgHits = average(hits.length, timeSeries.length);
  const summary = { totalHits: hits.length, peakHits, peakTimestamp: peak?.timestamp ?? null, avgHits };
  return { data: { timeSeries, summary }, meta: { interval } };
}

export const metaOfBefore = ({ periodBefore: { startMs, endMs } }: Asked) => ({
  previousPeriod: { start: iso(startMs), end: iso(endMs) },
});

export function comparison(asked: Asked): Expected {
  const { period, periodBefore, hits, audience, hitsBefore, audienceBefore } = asked;
  const whole = audience.length + audienceBefore.length;
  const row = (name: string, { startMs, endMs }: Period, of: readonly KnownHit[]) =>
    of.length === 0 ? [] : [{ period: name, start: iso(startMs), end: iso(endMs), ...countsOf(of, whole) }];
  const current = row('current', period, audience);
  const previous = row('previous', periodBefore, audienceBefore);
  const bots = hits.filter(isBot).length;
  const botsBefore = hitsBefore.filter(isBot).length;
  const change = {
    hits: changeInPercent(hits.length, hitsBefore.length),
    uniqueVisitors: visitorsChange(audience, audienceBefore),
    botHits: changeInPercent(bots, botsBefore),
    humanHits: changeInPercent(hits.length - bots, hitsBefore.length - botsBefore),
  };
  return {
    data: {
      periods:
        audience.length >= audienceBefore.length ? [...current, ...previous] : [...previous, ...current],
      summary: {
        current: basicOf(period, hits, audience),
        previous: basicOf(periodBefore, hitsBefore, audienceBefore),
        change,
      },
    },
    meta: metaOfBefore(asked),
  };
}

export function overview({ period, hits, audience, hitsBefore, audienceBefore }: Asked) {
  const { totalHits, avgHitsPerDay, successRate, ...basics } = basicOf(period, hits, audience);
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

/** The hits of a bucket by its start, sorted out once: an hourly series of years has tens of thousands of them. */
function byBucket(hits: readonly KnownHit[], interval: Interval): (startMs: number) => readonly KnownHit[] {
  const buckets = new Map<number, KnownHit[]>();
  for (const hit of hits) {
    const startMs = bucketOf(hit.timeMs, interval);
    const bucket = buckets.get(startMs);
    if (bucket === undefined) buckets.set(startMs, [hit]);
    else bucket.push(hit);
  }
  return (startMs) => buckets.get(startMs) ?? [];
}

export function dailyTrends({ period, hits }: Asked) {
  const hitsIn = byBucket(hits, 'day');
  return bucketsOf(period, 'day').map((startMs) => ({
    date: iso(startMs).slice(0, 10),
    count: hitsIn(startMs).length,
  }));
}

const hourOfDay = ({ timeMs }: KnownHit) => new Date(timeMs).getUTCHours();
const dayOfWeek = ({ timeMs }: KnownHit) => new Date(timeMs).getUTCDay();

export function hourly({ audience }: Asked): Expected {
  const hours = rowsOf(ranked(audience, (hit) => [{ hour: hourOfDay(hit) }]));
  const summary = {
    totalHits: audience.length,
    peakHits: hours[0]?.hits ?? 0,
    peakHour: hours[0]?.hour ?? null,
    avgHits: average(audience.length, DAY_MS / HOUR_MS),
  };
  return { data: { hours, summary }, meta: {} };
}

export function peakTraffic({ period, audience, query }: Asked): Expected {
  const limit = Number(query.limit ?? 100);
  const groups = ranked(audience, ({ timeMs }) => [{ timestamp: iso(bucketOf(timeMs, 'hour')) }]);
  const [peak] = groups;
  const summary = {
    totalHits: audience.length,
    peakHits: peak?.hits.length ?? 0,
    peakTimestamp: peak?.key.timestamp ?? null,
    avgHits: average(audience.length, bucketsOf(period, 'hour').length),
    busiestHourOfDay: ranked(audience, (hit) => [{ hour: hourOfDay(hit) }])[0]?.key.hour ?? null,
    busiestDayOfWeek: ranked(audience, (hit) => [{ day: dayOfWeek(hit) }])[0]?.key.day ?? null,
  };
  return { data: { peaks: rowsOf(groups, limit), summary }, meta: { limit } };
}

export function returnVisitors({ audience }: Asked): Expected {
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
  return { data: { visitors, summary }, meta: { visitorSampleRate: 1 } };
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

export function errors({ audience }: Asked): Expected {
  const failed = audience.filter(({ status_code }) => status_code >= 400);
  const groups = ranked(failed, ({ status_code }) => [{ statusCode: status_code }]);
  const summary = {
    totalHits: audience.length,
    errorHits: failed.length,
    errorRate: percentage(failed.length, audience.length),
    topStatusCode: groups[0]?.key.statusCode ?? null,
  };
  return { data: { errors: rowsOf(groups), summary }, meta: {} };
}

export function bots({ hits }: Asked): Expected {
  const ofBots = hits.filter(isBot);
  const groups = ranked(ofBots, ({ bot_reason }) => [{ botReason: bot_reason || 'unknown' }]);
  const summary = {
    totalHits: hits.length,
    botHits: ofBots.length,
    humanHits: hits.length - ofBots.length,
    botsPercentage: percentage(ofBots.length, hits.length),
    topBotReason: groups[0]?.key.botReason ?? null,
  };
  return { data: { bots: rowsOf(groups), summary }, meta: {} };
}
