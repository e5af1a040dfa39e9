import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { HitWhere } from './hit-filters.js';
import type { Period } from './period.js';

/** Filter for the hits of a question. */
export interface HitFilter {
  readonly redirectId: string;
  readonly period: Period;
  /** Default: all hits. */
  readonly where?: HitWhere;
}

/**
 * Returns the WHERE clause for all hits of one redirect in a period. It uses the primary key. Questions use `hits` of
 * their source.
 */
export const HITS_OF_PERIOD = `redirect_id = {redirect:String}
  AND timestamp BETWEEN fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;

export function hitFilterParams({ redirectId, period, where }: HitFilter): QueryParams {
  return { redirect: redirectId, start: period.startMs, end: period.endMs, ...where?.params };
}
