import { crc32 } from 'node:zlib';
import { DAY_MS, iso, type Period, startOfDay } from '../period.js';
import type { Asked } from './asked.fixture.js';
import { createDice, type Dice } from './dice.fixture.js';
import { randomFilters } from './filters.fixture.js';
import { EMPTY_REDIRECT, FROM_MS, REDIRECTS, TO_MS } from './random-traffic.fixture.js';
import { clockOf } from './zoned-clock.fixture.js';

/** A request, as parameters and as their meaning. */
export interface RandomRequest extends Pick<Asked, 'period' | 'includeBots' | 'timezone' | 'query'> {
  readonly redirectId: string;
  /** Path below `/analytics/redirect/`. */
  readonly url: string;
}

/** Possible values of each further query parameter; undefined leaves it out. */
export type Parameters = Readonly<Record<string, readonly (string | number | boolean | undefined)[]>>;

/** Returns requests of one endpoint. They depend only on seed and path. */
export function randomRequests(
  seed: number,
  path: string,
  parameters: Parameters,
  count: number,
): RandomRequest[] {
  const dice = createDice(seed + crc32(path));
  return Array.from({ length: count }, () => randomRequest(dice, path, parameters));
}

function randomRequest(dice: Dice, path: string, parameters: Parameters): RandomRequest {
  const redirectId = dice.chance(0.1) ? EMPTY_REDIRECT : dice.pick(REDIRECTS);
  const timezone = dice.pick(ZONES);
  const { period, given } = randomPeriod(dice, timezone ?? 'UTC');
  const own = Object.entries(parameters).flatMap(([name, values]) => {
    const value = dice.pick(values);
    return value === undefined ? [] : [[name, value]];
  });
  const query = { ...randomFilters(dice), ...Object.fromEntries(own) };
  const includeBots = dice.pick([undefined, undefined, true, true, false]);
  const all = {
    ...{ ...given, ...query },
    ...(includeBots !== undefined && { includeBots }),
    ...(timezone !== undefined && { timezone }),
  };
  const search = new URLSearchParams(
    Object.entries(all).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const url = `${redirectId}/${path}${search === '' ? '' : `?${search}`}`;
  return { redirectId, url, period, includeBots, timezone: timezone ?? 'UTC', query };
}

/** One zone changes its offset during the hits; one has an offset of a half hour. */
const ZONES = [undefined, undefined, 'UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'] as const;

interface RandomPeriod {
  readonly period: Period;
  /** `start` and `end`, one of them, or neither. */
  readonly given: object;
}

/** Periods in all accepted forms, from an hour to more than the hits span. */
function randomPeriod(dice: Dice, timezone: string): RandomPeriod {
  const { localOf, momentOf } = clockOf(timezone);
  const [one, other] = [randomMoment(dice), randomMoment(dice)].sort((a, b) => a - b) as [number, number];
  const nearby = Math.min(one + dice.below(DAY_MS), TO_MS);
  const day = (timeMs: number) => iso(timeMs).slice(0, 10);
  const startOf = (date: string) => momentOf(Date.parse(date));
  const endOf = (date: string) => momentOf(Date.parse(date) + DAY_MS) - 1;
  const thirtyDaysTo = (timeMs: number) => momentOf(startOfDay(localOf(timeMs)) - 29 * DAY_MS);
  const days = (from: string, to: string): [given: object, startMs: number, endMs: number] => [
    { start: from, end: to },
    startOf(from),
    endOf(to),
  ];
  const forms: readonly (() => [given: object, startMs: number, endMs: number])[] = [
    () => [{}, thirtyDaysTo(TO_MS), TO_MS],
    () => [{ start: day(one - DAY_MS) }, startOf(day(one - DAY_MS)), TO_MS],
    () => [{ end: iso(other) }, thirtyDaysTo(other), other],
    () => days(day(one), day(other)),
    () => days(day(one), day(one)),
    () => [{ start: iso(one), end: iso(other) }, one, other],
    () => [{ start: iso(one), end: iso(nearby) }, one, nearby],
    () => [{ start: iso(one), end: '2026-12-31' }, one, endOf('2026-12-31')],
    () => days('2025-12-29', '2026-01-04'),
    () => days('2025-06-01', '2025-06-30'),
  ];
  const [given, startMs, endMs] = dice.pick(forms)();
  return { given, period: { startMs, endMs } };
}

/** Half of the times are the first or the last millisecond of a day, like many hits. */
function randomMoment(dice: Dice): number {
  const timeMs = FROM_MS + dice.below(TO_MS - FROM_MS);
  return dice.chance(0.5) ? timeMs : Math.max(startOfDay(timeMs) - dice.below(2), FROM_MS);
}
