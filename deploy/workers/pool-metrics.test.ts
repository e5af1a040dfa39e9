import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createPoolMetrics } from './pool-metrics.js';
import type { SlotStatus } from './worker-slot.js';

const READINESS = {
  ready: true,
  version: '1.1',
  ageMs: 1,
  state: 'live',
  hosts: 1,
  lastError: null,
} as const;

async function statusWith(requests: number): Promise<SlotStatus> {
  const registry = new Registry();
  const registers = [registry];
  const counter = new Counter({ name: 'requests_total', help: 'R', labelNames: ['outcome'], registers });
  counter.inc({ outcome: 'hit' }, requests);
  const histogram = new Histogram({ name: 'seconds', help: 'S', buckets: [1], registers });
  histogram.observe(0.5);
  return { readiness: READINESS, metrics: await registry.getMetricsAsJSON() };
}

test('every series is shown by process and none is added up', async () => {
  const statuses = [await statusWith(3), 'absent', await statusWith(4)] as const;
  const text = await createPoolMetrics({
    statuses: async () => statuses,
    restarts: () => 7,
    hung: () => 2,
  }).metrics();
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'requests_total{outcome="hit",worker="1"} 3',
      'requests_total{outcome="hit",worker="3"} 4',
      'seconds_bucket{le="1",worker="1"} 1',
      'seconds_count{worker="3"} 1',
      'waymark_workers_running 2',
      'waymark_worker_restarts_total 7',
      'waymark_workers_hung_total 2',
    ]),
  );
  expect(text).not.toContain('worker="2"');
  expect(text.match(/^# TYPE requests_total/gm)).toHaveLength(1);
});
