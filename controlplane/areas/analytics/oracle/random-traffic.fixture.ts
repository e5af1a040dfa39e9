import { ENTRY_IDS_FROM, NO_ENTRY } from '../../../../shared/paths/entry-ids.js';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, NOW } from '../analytics-app.fixture.js';
import { DAY_MS, HOUR_MS, iso } from '../period.js';
import { makeRollUps } from '../roll-ups.fixture.js';
import { createDice, type Dice } from './dice.fixture.js';
import { AGENTS, CAMPAIGNS, COORDINATES_OF_CITY, PLACES, REFERRERS } from './traffic-values.fixture.js';

/** All values of a recorded hit. */
export type RecordedHit = Required<Omit<HitOptions, 'latitude' | 'longitude'>>;

/** A hit with the id under which it is stored. */
export interface KnownHit extends RecordedHit {
  readonly id: string;
  readonly timeMs: number;
}

/** Twelve weeks and a half, with the end of a year in the middle of a week. No hit is younger than the app's clock. */
export const FROM_MS = Date.UTC(2025, 11, 17, 3);
export const TO_MS = NOW.getTime();

/** Maximum number of visitors that is exact; `rd_crowd` has more. */
export const FEW_VISITORS = 1_000;
const VISITORS_OF = { rd_shop: 400, rd_crowd: 20_000, rd_quiet: 12 } as const;
export const REDIRECTS = Object.keys(VISITORS_OF);
export const EMPTY_REDIRECT = 'rd_empty';

/** Hits of `rd_shop` that a full buffer drops. */
const DROPPED = 7;

/** Hits in the order of recording, which is independent of their times. */
export function randomTraffic(seed: number, count: number): RecordedHit[] {
  const dice = createDice(seed);
  const redirects = Object.entries(VISITORS_OF).map(([redirect_id, size]) => ({
    redirect_id,
    visitors: toldApart(dice, size),
  }));
  return Array.from({ length: count }, () => {
    const { redirect_id, visitors } = dice.pickSkewed(redirects);
    const visitor_id = dice.chance(0.5) ? dice.pick(visitors) : dice.pickSkewed(visitors);
    return { ...randomHit(dice), redirect_id, visitor_id };
  });
}

/**
 * Visitors that the engine can distinguish. It counts them by 32 bits of a hash: one in 9,000 counts of 1,000
 * visitors confuses two. A tolerance for that would hide an error of one.
 */
function toldApart(dice: Dice, size: number): string[] {
  const visitors = new Map<bigint, string>();
  while (visitors.size < size) {
    const number = dice.below(2 ** 32) * 2 ** 16 + dice.below(2 ** 16);
    visitors.set(countedAs(number), visitor(number));
  }
  return [...visitors.values()];
}

/** The part of a 64-bit number that `uniqCombined` keeps: the lower half of its MurmurHash3 finalizer. */
function countedAs(visitorNumber: number): bigint {
  let hash = BigInt(visitorNumber);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return BigInt.asUintN(32, hash ^ (hash >> 33n));
}

/** Seconds on a quiet machine; a busy one may take ten times as long. */
export const RECORDING_LIMIT_MS = 300_000;

/** Returns the entry that gave the answer beside a rule; 0 without one. */
export const besideRule = ({ entry_id }: KnownHit) => (entry_id === NO_ENTRY ? 0 : entry_id);

/** Stores the traffic batch by batch, the first ones with roll-ups. Returns the stored hits. */
export async function recordTraffic(app: AnalyticsApp, hits: readonly RecordedHit[]): Promise<KnownHit[]> {
  const parts = [hits.slice(0, hits.length / 2), hits.slice(hits.length / 2, -100), hits.slice(-100)];
  const [early = [], late = [], last = []] = parts;
  await recordInBatches(app, early);
  await placeCities(app.test);
  await makeRollUps(app.test);
  await recordInBatches(app, late);
  app.drop('rd_shop', DROPPED);
  await app.record(last);
  await placeCities(app.test);
  return hits.map((hit, index) => ({
    ...hit,
    id: `run1-${index + 1 + (index < hits.length - last.length ? 0 : DROPPED)}`,
    timeMs: Date.parse(`${hit.timestamp.replace(' ', 'T')}Z`),
  }));
}

/** Sets the coordinates of the cities, for the hits that are stored so far. */
async function placeCities({ store }: AnalyticsApp['test']): Promise<void> {
  for (const [city, { latitude, longitude }] of Object.entries(COORDINATES_OF_CITY)) {
    await store.command(
      `ALTER TABLE hits UPDATE latitude = {latitude:Float32}, longitude = {longitude:Float32}
       WHERE city = {city:String} SETTINGS mutations_sync = 2`,
      { city, latitude, longitude },
    );
  }
}

const HITS_OF_BATCH = 5_000;

async function recordInBatches(app: AnalyticsApp, hits: readonly RecordedHit[]): Promise<void> {
  for (let from = 0; from < hits.length; from += HITS_OF_BATCH) {
    await app.record(hits.slice(from, from + HITS_OF_BATCH));
  }
}

/** Delivery figures of a redirect's hits. */
export function deliveryOf(redirectId: string, delivered: number) {
  const lost = redirectId === 'rd_shop' ? DROPPED : 0;
  return { recorded: delivered + lost, delivered, duplicated: 0, lost };
}

function randomHit(dice: Dice): Omit<RecordedHit, 'redirect_id' | 'visitor_id'> {
  const path = `/item-${dice.pickSkewed(ITEMS)}`;
  const is_bot = dice.chance(0.15) ? 1 : 0;
  const rule_id = dice.pickSkewed([0, 12, 13, ENTRY_IDS_FROM - 1, ENTRY_IDS_FROM + 7]);
  const agent = dice.pickSkewed(AGENTS);
  const browser_version = agent.browser_name === '' ? '' : dice.pick(['', '9.1', '120.0', '121.0']);
  return {
    ...agent,
    ...dice.pickSkewed(PLACES),
    ...dice.pickSkewed(REFERRERS),
    ...dice.pickSkewed(CAMPAIGNS),
    timestamp: iso(randomTimeMs(dice)).replace('T', ' ').replace('Z', ''),
    host: 'old.example',
    path,
    query: dice.pick(['', 'a=1&b=2']),
    query_names: dice.pickSkewed(['', 'a', 'a&b', 'b&utm_source', 'ž']),
    destination_url: dice.chance(0.05) ? '' : `https://new.example${path}`,
    status_code: dice.pickSkewed([301, 302, 404, 200, 508, 500]),
    method: 'GET',
    sampling_rate: dice.pick([1, 0.5, 0.2, 0.1]),
    browser_version,
    user_agent: agent.browser_name === '' ? '' : `${agent.browser_name}/${browser_version}`,
    language: dice.pickSkewed(['de', 'en-US', '', 'fr']),
    ip_address: '203.0.113.0',
    is_bot,
    bot_reason: is_bot === 1 ? dice.pickSkewed(['user-agent', 'head', '', 'prefetch', 'preview']) : '',
    ruleset_version: '1700000000.42',
    rule_id,
    variant: rule_id === 13 ? dice.pick(['blue', 'green']) : '',
    retention_days: 0,
    draw: 0,
    query_recording: 'full',
    entry_id: rule_id === 12 ? dice.pick([0, 7, 9, NO_ENTRY]) : 0,
    requested_host: '',
  };
}

const ITEMS = Array.from({ length: 40 }, (_, n) => n);

/** One in seven hits is on the first or the last millisecond of an hour or a day. */
function randomTimeMs(dice: Dice): number {
  const timeMs = FROM_MS + dice.below(TO_MS - FROM_MS);
  if (dice.chance(0.85)) return timeMs;
  const lengthMs = dice.pick([HOUR_MS, DAY_MS]);
  return Math.max(timeMs - (timeMs % lengthMs) - dice.below(2), FROM_MS);
}
