import type { Redis } from 'ioredis';
import { type DataplaneReport, parseDataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';

/** Maximum number of listed data planes. Larger installations use the metrics of each one. */
const MOST_DATAPLANES = 1_000;

/** Returns the reports of running data planes, newest first, at most 1,000. @throws when Redis does not answer */
export async function listDataplanes(redis: Redis, keyPrefix?: string): Promise<DataplaneReport[]> {
  const keys = redisKeys(keyPrefix);
  const ids = await redis.zrevrange(keys.dataplanes, 0, MOST_DATAPLANES - 1);
  if (ids.length === 0) return [];
  // Reports expire, but ids are deleted only sometimes: an id without a report is outdated.
  const texts = await redis.mget(ids.map((id) => keys.dataplane + id));
  return texts.flatMap((text) => {
    const report = text === null ? undefined : parseDataplaneReport(text);
    return report === undefined ? [] : [report];
  });
}
