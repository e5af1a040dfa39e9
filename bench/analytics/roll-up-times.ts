import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';
import { openAnalyticsStore } from '../../controlplane/storage/clickhouse/client.js';
import { migrateAnalyticsStore } from '../../controlplane/storage/clickhouse/migrate.js';
import { addGeneratedHits } from './generated-hits.js';

/** A statistics query that a roll-up can answer: see controlplane/decisions/0006. */
interface RollUpQuestion {
  readonly name: string;
  readonly sql: string;
}

const MIDDLE = `redirect_id = {redirect:String} AND toDate(timestamp) BETWEEN today() - 29 AND today()`;
const HOURS = `redirect_id = {redirect:String}
  AND toStartOfHour(timestamp) BETWEEN toStartOfHour(now() - toIntervalDay(29)) AND now()`;

/**
 * Counts hits and visitors by these columns, the most hits first. Visitors are computed only for the rows with the most
 * hits.
 */
function topOf(...columns: readonly string[]): string {
  const keys = columns.join(', ');
  const counts = `SELECT ${keys}, count() AS hits FROM hits WHERE ${MIDDLE} AND is_bot = 0 GROUP BY ${keys}
    ORDER BY hits DESC LIMIT 100`;
  return `SELECT ${keys}, sum(n) AS hits, uniqCombinedMerge(12)(state) AS visitors FROM (
      SELECT ${keys}, is_bot, count() AS n, uniqCombinedState(12)(visitor) AS state FROM hits
      WHERE ${MIDDLE} AND is_bot = 0 AND (${keys}) IN (SELECT ${keys} FROM (${counts}))
      GROUP BY ${keys}, is_bot
    ) GROUP BY ${keys} ORDER BY hits DESC`;
}

const ROLL_UP_QUESTIONS: readonly RollUpQuestion[] = [
  {
    name: 'totals',
    sql: `SELECT sum(n) AS hits, uniqCombinedMergeIf(14)(state, is_bot = 0) AS visitors FROM (
        SELECT is_bot, count() AS n, uniqCombinedState(14)(visitor) AS state FROM hits WHERE ${MIDDLE} GROUP BY is_bot)`,
  },
  {
    name: 'hits by hour',
    sql: `SELECT toStartOfHour(timestamp) AS hour, is_bot, count() AS hits FROM hits WHERE ${HOURS}
      GROUP BY hour, is_bot`,
  },
  {
    name: 'visitors by hour',
    sql: `SELECT hour, finalizeAggregation(state) AS visitors FROM (
        SELECT toStartOfHour(timestamp) AS hour, uniqCombinedState(12)(visitor) AS state FROM hits
        WHERE ${HOURS} AND is_bot = 0 GROUP BY hour)`,
  },
  {
    name: 'visitors by day',
    sql: `SELECT day, finalizeAggregation(state) AS visitors FROM (
        SELECT toDate(timestamp) AS day, uniqCombinedState(14)(visitor) AS state FROM hits
        WHERE ${MIDDLE} AND is_bot = 0 GROUP BY day)`,
  },
  { name: 'countries', sql: topOf('country') },
  { name: 'cities', sql: topOf('country', 'region', 'city') },
  {
    name: 'devices, browsers, systems by version',
    sql: `SELECT device_type, browser_name, browser_version, os_name, os_version, count() AS hits FROM hits
      WHERE ${MIDDLE} AND is_bot = 0 GROUP BY ALL`,
  },
  { name: 'browser families', sql: topOf('browser_name') },
  { name: 'user agents', sql: topOf('user_agent') },
  { name: 'languages', sql: topOf('language') },
  { name: 'referrers', sql: topOf('referrer_type', 'referrer_domain', 'referrer') },
  {
    name: 'campaigns',
    sql: topOf('utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'),
  },
  { name: 'query parameters', sql: topOf('query_names') },
  { name: 'paths', sql: topOf('path') },
  { name: 'destinations', sql: topOf('destination_url') },
  {
    name: 'rules',
    sql: `SELECT rule_id, count() AS hits FROM hits WHERE ${MIDDLE} AND is_bot = 0 GROUP BY rule_id`,
  },
  {
    name: 'visits of one visitor in 16',
    sql: `SELECT countIf(visits = 1) AS once, count() AS visitors FROM (
        SELECT if(visitor % 16 = 0, visitor, 0) AS sampled, count() AS visits FROM hits
        WHERE ${MIDDLE} AND is_bot = 0 GROUP BY sampled) WHERE sampled != 0`,
  },
];

/** Measures the answer times of the roll-ups: `node dist/bench/analytics/roll-up-times.js [--hits 10000000]`. */
const { values } = parseArgs({ options: { hits: { type: 'string', default: '1000000' } } });

const RUNS = 7;
const REDIRECT = 'measured';

async function measure(store: AnalyticsStore, { name, sql }: RollUpQuestion): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await store.query(sql, { redirect: REDIRECT });
    times.push(performance.now() - startedAt);
  }
  times.sort((one, other) => one - other);
  const [median = 0, slowest = 0] = [times[RUNS >> 1], times.at(-1)];
  process.stdout.write(
    `${name.padEnd(40)} ${median.toFixed(0).padStart(6)} ${slowest.toFixed(0).padStart(6)}\n`,
  );
}

const count = Number(values.hits);
const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-roll-ups-'));
const store = await openAnalyticsStore({ dataDir });
try {
  await migrateAnalyticsStore(store, pino({ level: 'silent' }));
  await addGeneratedHits(store, { redirectId: REDIRECT, count, visitors: Math.ceil(count / 10), days: 30 });
  await addGeneratedHits(store, { redirectId: 'other', count: count / 5, visitors: count / 50, days: 30 });
  await store.command('OPTIMIZE TABLE hits FINAL');
  process.stdout.write(`${'ms, one thread'.padEnd(40)} median    max\n`);
  for (const question of ROLL_UP_QUESTIONS) await measure(store, question);
} finally {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
}
