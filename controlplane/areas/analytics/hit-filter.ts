import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { Period } from './period.js';

/** Filter for the hits of a question. */
export interface HitFilter {
  readonly redirectId: string;
  readonly period: Period;
}

/** The WHERE clause of every question about the hits of one redirect in a period; uses the primary key. */
export const HITS_OF_PERIOD = `redirect_id = {redirect:String}
  AND timestamp BETWEEN fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;

export function hitFilterParams({ redirectId, period }: HitFilter): QueryParams {
  return { redirect: redirectId, start: period.startMs, end: period.endMs };
}
