import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { RedisPublicationStats } from './redis-publication.js';
import { registerRedisMetrics } from './redis-publishing.js';

function startMetrics() {
  const now = {
    stats: {
      leads: true,
      deltasAppended: 3,
      snapshotsWritten: 2,
      racesLost: 1,
      failures: 0,
      behindSinceMs: undefined,
      lastHeartbeatMs: Date.now() - 2_000,
    } as RedisPublicationStats,
  };
  const registry = new Registry();
  registerRedisMetrics({ registry, stats: () => now.stats });
  return { now, read: () => registry.metrics() };
}

test('metrics show what was published and who leads', async () => {
  const text = await startMetrics().read();
  expect(text).toContain('waymark_ruleset_deltas_published_total 3');
  expect(text).toContain('waymark_ruleset_snapshots_published_total 2');
  expect(text).toContain('waymark_ruleset_publication_leads 1');
  expect(text).toContain('waymark_ruleset_publication_lag_seconds 0');
  expect(text).toMatch(/waymark_ruleset_heartbeat_age_seconds [2-9]/);
});

test('a process that never led does not look as if it had just said so', async () => {
  const { now, read } = startMetrics();
  now.stats = { ...now.stats, leads: false, lastHeartbeatMs: undefined };
  expect(await read()).toMatch(/waymark_ruleset_heartbeat_age_seconds NaN/i);
});

test('the lag grows for as long as Redis is behind', async () => {
  const { now, read } = startMetrics();
  now.stats = { ...now.stats, behindSinceMs: Date.now() - 5_000 };
  expect(await read()).toMatch(/waymark_ruleset_publication_lag_seconds [5-9]/);
});
