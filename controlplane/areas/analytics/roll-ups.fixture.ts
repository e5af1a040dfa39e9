import type { HitRow } from '../../../shared/hits/hit-row.js';
import type { TestStore } from '../../storage/clickhouse/analytics-store.fixture.js';
import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import { fromRollUp, HIT_BY_HIT, type RollUp as RollUpName } from './source.js';

/** A statement that the store is asked. */
export interface Select {
  readonly sql: string;
  readonly params: QueryParams;
}

/** A projection of the table `hits`, as a question has to be put to be answered from it. */
export interface RollUp {
  readonly name: RollUpName;
  /** The start of its buckets. */
  readonly bucket: 'toStartOfHour(timestamp)' | 'toDate(timestamp)';
  readonly columns: readonly (keyof HitRow)[];
  /** Of `uniqCombined`; none where visitors are not counted. */
  readonly precision?: 12 | 14;
}

const daily = (name: RollUpName, ...columns: (keyof HitRow)[]): RollUp => ({
  name,
  bucket: 'toDate(timestamp)',
  columns: ['is_bot', ...columns],
  precision: 12,
});

const counted = (name: RollUpName, ...columns: (keyof HitRow)[]): RollUp => ({
  name,
  bucket: 'toDate(timestamp)',
  columns: ['is_bot', ...columns],
});

export const ROLL_UPS: readonly RollUp[] = [
  { ...daily('by_day', 'bot_reason', 'status_code'), precision: 14 },
  { ...daily('by_hour'), bucket: 'toStartOfHour(timestamp)' },
  counted('by_condition', 'country', 'status_code', 'rule_id'),
  daily('by_country', 'country'),
  daily('by_place', 'country', 'region', 'city'),
  counted(
    ...(['by_device', 'device_type', 'device_brand', 'device_model', 'browser_name'] as const),
    ...(['browser_version', 'os_name', 'os_version'] as const),
  ),
  daily('by_client', 'device_type', 'browser_name'),
  daily('by_user_agent', 'user_agent'),
  daily('by_language', 'language'),
  daily('by_referrer', 'referrer_type', 'referrer_domain', 'referrer'),
  daily('by_campaign', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'),
  daily('by_query_names', 'query_names'),
  daily('by_path_and_match', 'path'),
  daily('by_destination', 'destination_url'),
  counted('by_entry', 'rule_id', 'entry_id'),
];

/** All projections of the table, those that count nothing for the statistics too. */
export const PROJECTIONS: readonly string[] = [
  ...ROLL_UPS.map(({ name }) => name),
  'by_visitor',
  'by_producer',
];

/** Makes the roll-ups of the parts that have none yet, as merges do in their own time. */
export async function makeRollUps(test: TestStore, names = PROJECTIONS): Promise<void> {
  const commands = names.map((name) => `MATERIALIZE PROJECTION ${name}`);
  await test.store.command(`ALTER TABLE hits ${commands.join(', ')} SETTINGS mutations_sync = 2`);
}

/** What the roll-up says of a redirect: hits and visitors for each combination of its columns, ever since. */
export function readRollUp(test: TestStore, rollUp: RollUp, redirectId: string): Promise<object[]> {
  return test.store.query(question(rollUp), { redirect: redirectId });
}

/** What the roll-up should say of a redirect, counted hit by hit. */
export function countHits(test: TestStore, rollUp: RollUp, redirectId: string): Promise<object[]> {
  return test.store.query(question(rollUp, HIT_BY_HIT), {
    redirect: redirectId,
  });
}

/** Whether `readRollUp` reads the roll-up, be it beside the hits of parts that have none. */
export function isReadFromRollUp(test: TestStore, rollUp: RollUp, redirectId: string): Promise<boolean> {
  return isReadFrom(test, rollUp.name, question(rollUp), redirectId);
}

/**
 * Whether the engine answers `sql` from this projection. The engine's own `force_optimize_projection` would not do:
 * it is not heeded within a subquery.
 */
export async function isReadFrom(
  test: TestStore,
  projection: string,
  sql: string,
  redirectId: string,
): Promise<boolean> {
  const plan = await planOf(test, { sql, params: { redirect: redirectId } });
  return plan.some((step) => step.includes(`ReadFromMergeTree (${projection})`));
}

/** Whether the engine looks at single hits to answer a statement. */
export async function readsSingleHits(test: TestStore, select: Select): Promise<boolean> {
  const plan = await planOf(test, select);
  return plan.some((step) => /ReadFromMergeTree \(\w+\.hits\)/.test(step));
}

async function planOf(test: TestStore, { sql, params }: Select): Promise<string[]> {
  const plan = await test.store.query<{ explain: string }>(`SELECT explain FROM (EXPLAIN ${sql})`, params);
  return plan.map(({ explain }) => explain);
}

function question({ name, bucket, columns, precision }: RollUp, settings = fromRollUp(name)): string {
  const keys = columns.join(', ');
  return `SELECT ${keys}, sum(n) AS hits ${precision ? `, uniqCombinedMerge(${precision})(state) AS visitors` : ''}
     FROM (
       SELECT ${keys}, count() AS n ${precision ? `, uniqCombinedState(${precision})(visitor) AS state` : ''}
       FROM hits
       WHERE redirect_id = {redirect:String}
         AND ${bucket} BETWEEN toDateTime('2000-01-01 00:00:00', 'UTC') AND toDateTime('2100-01-01 00:00:00', 'UTC')
       GROUP BY ${keys}
       ${settings}
     ) GROUP BY ${keys} ORDER BY ${keys}`;
}
