import { encodeDataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { type Clock, systemClock } from './clock.js';
import { createOwnReport } from './own-report.js';
import { connectRedis } from './redis-connection.js';
import type { SyncStatus } from './synchronizer.js';

const REPORT_EVERY_MS = 4_000;
/** Number of lost reports after which a data plane counts as gone. */
const REPORT_EXPIRY_S = 15;
/** Age of reports that are deleted when another one is written. */
const ID_KEPT_MS = 3_600_000;

export interface RedisDataplaneReportDeps {
  /** May contain a password: never logged. */
  readonly url: string;
  readonly status: () => SyncStatus;
  readonly keyPrefix?: string;
  readonly clock?: Clock;
  /** Random number for jitter, 0 to below 1. */
  readonly random?: () => number;
}

/** Reports the served ruleset through Redis every few seconds. */
export interface RedisDataplaneReport {
  /** Id of this process. It changes with a restart. */
  readonly id: string;
  /** Deletes the report, if Redis is reachable, and closes the connection. Never rejects. */
  stop(): Promise<void>;
}

export function startRedisDataplaneReport(deps: RedisDataplaneReportDeps): RedisDataplaneReport {
  const { url, status, clock = systemClock, random = Math.random } = deps;
  const keys = redisKeys(deps.keyPrefix);
  const own = createOwnReport(status, clock.nowMs());
  const { id } = own;
  // A lost report does no harm, and the feed reports problems of Redis.
  const redis = connectRedis({ url, name: 'waymark-dataplane-report', onProblem() {}, random });
  let cancel: (() => void) | undefined;

  async function send(): Promise<void> {
    const nowMs = clock.nowMs();
    await Promise.all([
      redis.set(keys.dataplane + id, encodeDataplaneReport(own.at(nowMs)), 'EX', REPORT_EXPIRY_S),
      redis.zadd(keys.dataplanes, nowMs, id),
      redis.zremrangebyscore(keys.dataplanes, '-inf', nowMs - ID_KEPT_MS),
    ]);
  }

  function report(): void {
    cancel?.();
    cancel = clock.schedule(report, REPORT_EVERY_MS * (0.5 + random()));
    send().catch(() => undefined);
  }

  redis.on('ready', report);

  return {
    id,
    async stop() {
      redis.off('ready', report);
      cancel?.();
      await Promise.all([redis.del(keys.dataplane + id), redis.zrem(keys.dataplanes, id)]).catch(
        () => undefined,
      );
      redis.disconnect();
    },
  };
}
