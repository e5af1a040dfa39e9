import { encodeDataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { type Clock, systemClock } from './clock.js';
import { createOwnReport } from './own-report.js';
import { connectRedis } from './redis-connection.js';
import type { SyncStatus } from './synchronizer.js';

const REPORT_EVERY_MS = 4_000;
/** Some reports may be lost before a data plane counts as gone. */
const REPORT_EXPIRY_S = 15;
/** Ids whose reports are long gone are swept when a report is made. */
const ID_KEPT_MS = 3_600_000;

export interface RedisDataplaneReportDeps {
  /** May hold a password: never logged. */
  readonly url: string;
  readonly status: () => SyncStatus;
  readonly keyPrefix?: string;
  readonly clock?: Clock;
  /** Random number for jitter, 0 to below 1. */
  readonly random?: () => number;
}

/** Tells the control plane every few seconds, through Redis, what this process serves. */
export interface RedisDataplaneReport {
  /** Id of this process. It changes with a restart. */
  readonly id: string;
  /** Takes the report back, as far as Redis can be reached, and ends the connection. Never rejects. */
  stop(): Promise<void>;
}

export function startRedisDataplaneReport(deps: RedisDataplaneReportDeps): RedisDataplaneReport {
  const { url, status, clock = systemClock, random = Math.random } = deps;
  const keys = redisKeys(deps.keyPrefix);
  const own = createOwnReport(status, clock.nowMs());
  const { id } = own;
  // A report that cannot be sent is no loss, and the feed says what is wrong with Redis.
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
