import { iso } from '../period.js';
import type { Asked, Expected } from './asked.fixture.js';
import { average, rowShare } from './estimates.fixture.js';
import { series } from './expected-counts.fixture.js';
import type { KnownHit } from './random-traffic.fixture.js';
import { countsOf, ranked, rowsOf } from './ranked.fixture.js';
import { clockOf } from './zoned-clock.fixture.js';

const localDateOf = (timezone: string, { timeMs }: KnownHit) => new Date(clockOf(timezone).localOf(timeMs));

/** Returns the number of hits for each value from 0 to below `size`. */
function counted(hits: readonly KnownHit[], size: number, numberOf: (hit: KnownHit) => number) {
  return Array.from({ length: size }, (_, value) => hits.filter((hit) => numberOf(hit) === value));
}

export function hourly({ audience, timezone }: Asked): Expected {
  const hours = counted(audience, 24, (hit) => localDateOf(timezone, hit).getUTCHours())
    .map((hits, hour) => ({ hour, ...countsOf(hits, audience.length) }))
    .sort((one, other) => other.hits - one.hits || one.hour - other.hour);
  const [peak] = hours;
  const summary = {
    totalHits: audience.length,
    peakHits: peak?.hits ?? 0,
    peakHour: audience.length === 0 ? null : peak?.hour,
    avgHits: average(audience.length, 24),
  };
  return { data: { hours, summary }, meta: { series: { hours: series('hour-of-day', timezone) } } };
}

export function peakTraffic({ period, audience, query, timezone }: Asked): Expected {
  const limit = Number(query.limit ?? 100);
  const clock = clockOf(timezone);
  const hours = clock.bucketsOf(period, 'hour');
  const startOf = new Map(hours.map(({ bucket, startMs }) => [bucket, iso(startMs)]));
  const groups = ranked(audience, ({ timeMs }) => [
    { timestamp: startOf.get(clock.bucketOf(timeMs, 'hour')) ?? '' },
  ]);
  const [peak] = groups;
  const share = (hits: readonly KnownHit[]) => ({
    hits: hits.length,
    percentage: rowShare(hits.length, audience.length),
  });
  const byHour = counted(audience, 24, (hit) => localDateOf(timezone, hit).getUTCHours()).map(
    (hits, hour) => ({ hour, ...share(hits) }),
  );
  const byWeekday = counted(audience, 7, (hit) => localDateOf(timezone, hit).getUTCDay()).map(
    (hits, dayOfWeek) => ({ dayOfWeek, ...share(hits) }),
  );
  const busiest = <Row extends { hits: number }>(rows: readonly Row[]) =>
    audience.length === 0 ? undefined : [...rows].sort((one, other) => other.hits - one.hits)[0];
  const summary = {
    totalHits: audience.length,
    peakHits: peak?.hits.length ?? 0,
    peakTimestamp: peak?.key.timestamp ?? null,
    avgHits: average(audience.length, hours.length),
    busiestHourOfDay: busiest(byHour)?.hour ?? null,
    busiestDayOfWeek: busiest(byWeekday)?.dayOfWeek ?? null,
  };
  return {
    data: { peaks: rowsOf(groups, limit), distribution: { byHour, byWeekday }, summary },
    meta: {
      limit,
      series: {
        'distribution.byHour': series('hour-of-day', timezone),
        'distribution.byWeekday': series('day-of-week', timezone),
      },
    },
  };
}
