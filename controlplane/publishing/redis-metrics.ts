import { Counter, Gauge, type Registry } from 'prom-client';
import type { RedisPublicationStats } from './redis-publication.js';

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

export interface RedisMetricsDeps {
  readonly registry: Registry;
  readonly stats: () => RedisPublicationStats;
}

/** Exports the publication of rulesets to Prometheus. */
export function registerRedisMetrics({ registry, stats }: RedisMetricsDeps): void {
  for (const [key, [name, help]] of Object.entries(TOTALS)) {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(stats()[key as keyof typeof TOTALS]);
      },
    });
  }
  registerState(registry, stats);
}

function registerState(registry: Registry, stats: RedisMetricsDeps['stats']): void {
  const gauge = (name: string, help: string, read: (now: RedisPublicationStats) => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read(stats()) ?? Number.NaN);
      },
    });
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
