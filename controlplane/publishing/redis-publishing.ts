import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { addCounter, addGauge } from '../../shared/process/metrics.js';
import { type DataplaneReport, parseDataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { describeRedisError, redisOptions } from '../../shared/ruleset/redis-options.js';
import {
  createRedisPublication,
  type RedisPublicationDeps,
  type RedisPublicationStats,
} from './redis-publication.js';

/**
 * Publishes rulesets to Redis, and reads the reports of data planes there. Connects in the background, and retries for ever.
 */
export function openRedisPublishing(
  url: string,
  { metrics, ...deps }: Omit<RedisPublicationDeps, 'redis'> & { readonly metrics: Registry },
) {
  const redis = connectRedis(url, deps.logger);
  const publication = createRedisPublication({ ...deps, redis });
  registerRedisMetrics({ registry: metrics, stats: publication.stats });
  return {
    reports: { list: () => listDataplanes(redis) },
    /** Rejects when Redis does not answer, or refuses the login. */
    async ping() {
      await redis.ping();
    },
    delay: publication.delay,
    start: publication.start,
    /** Never rejects. */
    async stop() {
      await publication.stop();
      redis.disconnect();
    },
  };
}

/** The publisher's connection. It is opened in the background and retried for ever. Without it, commands fail. */
export function connectRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, { ...redisOptions(), connectionName: 'waymark-controlplane' });
  // Each attempt fails alike; the process logger reports a problem once a minute.
  redis.on('error', (error: unknown) =>
    logger.error({ problem: describeRedisError(error) }, 'rulesets cannot be published through Redis'),
  );
  redis.on('ready', () => logger.info('connected to Redis'));
  return redis;
}

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

const TOTALS = {
  deltasAppended: ['waymark_ruleset_deltas_published_total', 'Deltas this process has put into Redis.'],
  snapshotsWritten: [
    'waymark_ruleset_snapshots_published_total',
    'Snapshots this process has put into Redis.',
  ],
  racesLost: [
    'waymark_ruleset_publication_races_lost_total',
    'Writes another control plane was quicker with.',
  ],
  failures: [
    'waymark_ruleset_publication_failures_total',
    'Attempts to publish that failed and are repeated.',
  ],
} as const;

interface RedisMetricsDeps {
  readonly registry: Registry;
  readonly stats: () => RedisPublicationStats;
}

/** Exports the publication of rulesets to Prometheus. */
export function registerRedisMetrics({ registry, stats }: RedisMetricsDeps): void {
  for (const [key, [name, help]] of Object.entries(TOTALS)) {
    addCounter(registry, name, help, () => stats()[key as keyof typeof TOTALS]);
  }
  registerState(registry, stats);
}

function registerState(registry: Registry, stats: RedisMetricsDeps['stats']): void {
  const gauge = (name: string, help: string, read: (now: RedisPublicationStats) => number | undefined) =>
    addGauge(registry, name, help, () => read(stats()) ?? Number.NaN);
  gauge('waymark_ruleset_publication_leads', '1 in the process that keeps heartbeat and snapshot.', (now) =>
    now.leads ? 1 : 0,
  );
  gauge('waymark_ruleset_publication_lag_seconds', 'How long Redis has been behind the database.', (now) =>
    now.behindSinceMs === undefined ? 0 : secondsSince(now.behindSinceMs),
  );
  gauge('waymark_ruleset_heartbeat_age_seconds', 'Since the last heartbeat of this process.', (now) =>
    now.lastHeartbeatMs === undefined ? undefined : secondsSince(now.lastHeartbeatMs),
  );
}

function secondsSince(unixMs: number): number {
  return Math.max(0, Date.now() - unixMs) / 1_000;
}
