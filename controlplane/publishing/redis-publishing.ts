import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DataplaneReports } from './dataplane-reports.js';
import type { PublicationGuard } from './publication-guard.js';
import { connectRedis } from './redis-connection.js';
import { listDataplanes } from './redis-dataplanes.js';
import { registerRedisMetrics } from './redis-metrics.js';
import { createRedisPublication } from './redis-publication.js';
import type { RulesetBuilder } from './ruleset-builder.js';
import type { RulesetOutbox } from './ruleset-outbox.js';
import type { RulesetRepository } from './ruleset-repository.js';

/** Publishing to Redis, and the data planes that read from it. */
export interface RedisPublishing {
  /** Reports of data planes in Redis. */
  readonly reports: DataplaneReports;
  /** Rejects when Redis does not answer, or refuses the login. */
  ping(): Promise<void>;
  /** Returns the reason, for operators, why changes do not reach Redis within seconds; undefined while they do. */
  delay(): string | undefined;
  start(): void;
  /** Never rejects. */
  stop(): Promise<void>;
}

export interface RedisPublishingDeps {
  readonly url: string;
  readonly outbox: RulesetOutbox;
  readonly repository: RulesetRepository;
  readonly builder: RulesetBuilder;
  readonly guard: PublicationGuard;
  readonly metrics: Registry;
  readonly logger: Logger;
}

/** Connects to Redis in the background, and retries for ever. */
export function openRedisPublishing(deps: RedisPublishingDeps): RedisPublishing {
  const { url, outbox, repository, builder, guard, metrics, logger } = deps;
  const redis = connectRedis(url, logger);
  const publication = createRedisPublication({ redis, repository, builder, guard, outbox, logger });
  registerRedisMetrics({ registry: metrics, stats: publication.stats });
  return {
    reports: { list: () => listDataplanes(redis) },
    async ping() {
      await redis.ping();
    },
    delay: publication.delay,
    start: publication.start,
    async stop() {
      await publication.stop();
      redis.disconnect();
    },
  };
}
