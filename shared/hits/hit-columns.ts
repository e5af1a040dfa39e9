import type { HitRow } from './hit-row.js';

/** ClickHouse types of the columns of hits. */
export type HitColumnType =
  | 'String'
  | 'LowCardinality(String)'
  | "DateTime64(3, 'UTC')"
  | 'UInt8'
  | 'UInt16'
  | 'UInt64'
  | 'Float32'
  | 'Float64';

export type HitColumn = keyof HitRow;

/**
 * The columns of a block of hits, in order. Change them only together with `HIT_BATCH_FORMAT`. Texts that many hits
 * share are sent with a dictionary, even if the table stores plain texts. Mostly unique texts are sent without one,
 * because looking them up would take longer than writing them. The columns that identify a hit come first, for readers
 * that need only those.
 */
export const HIT_COLUMN_TYPES = {
  producer_id: 'LowCardinality(String)',
  ordinal: 'UInt64',
  redirect_id: 'LowCardinality(String)',
  timestamp: "DateTime64(3, 'UTC')",
  host: 'LowCardinality(String)',
  path: 'String',
  query: 'String',
  destination_url: 'String',
  status_code: 'UInt16',
  method: 'LowCardinality(String)',
  sampling_rate: 'Float64',
  user_agent: 'LowCardinality(String)',
  referrer: 'LowCardinality(String)',
  language: 'LowCardinality(String)',
  ip_address: 'LowCardinality(String)',
  visitor: 'UInt64',
  is_bot: 'UInt8',
  bot_reason: 'LowCardinality(String)',
  ruleset_version: 'LowCardinality(String)',
  rule_id: 'UInt64',
  variant: 'LowCardinality(String)',
  country: 'LowCardinality(String)',
  region: 'LowCardinality(String)',
  city: 'LowCardinality(String)',
  latitude: 'Float32',
  longitude: 'Float32',
  device_type: 'LowCardinality(String)',
  device_brand: 'LowCardinality(String)',
  device_model: 'LowCardinality(String)',
  browser_name: 'LowCardinality(String)',
  browser_version: 'LowCardinality(String)',
  os_name: 'LowCardinality(String)',
  os_version: 'LowCardinality(String)',
  referrer_domain: 'LowCardinality(String)',
  referrer_type: 'LowCardinality(String)',
  utm_source: 'LowCardinality(String)',
  utm_medium: 'LowCardinality(String)',
  utm_campaign: 'LowCardinality(String)',
  utm_term: 'LowCardinality(String)',
  utm_content: 'LowCardinality(String)',
  query_names: 'LowCardinality(String)',
  retention_days: 'UInt16',
  draw: 'Float64',
  query_recording: 'LowCardinality(String)',
  entry_id: 'UInt64',
  requested_host: 'LowCardinality(String)',
} as const satisfies Readonly<Record<HitColumn, HitColumnType>>;

export const HIT_COLUMNS = Object.keys(HIT_COLUMN_TYPES) as readonly HitColumn[];

/**
 * The columns of blocks, the newest format first. Formats before 8 and before 7 have fewer columns. The table has
 * defaults for the missing ones.
 */
export const READABLE_HIT_COLUMNS: readonly (readonly HitColumn[])[] = [
  HIT_COLUMNS,
  HIT_COLUMNS.slice(0, HIT_COLUMNS.indexOf('entry_id')),
  HIT_COLUMNS.slice(0, HIT_COLUMNS.indexOf('draw')),
];
