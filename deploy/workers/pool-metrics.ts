import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { WorkerMetrics } from './ipc-messages.js';
import type { SlotStatus } from './worker-slot.js';

export interface PoolMetricsDeps {
  /** One for each configured process, in their order. */
  readonly statuses: () => Promise<readonly SlotStatus[]>;
  readonly restarts: () => number;
  /** Processes that were killed because they did not answer. */
  readonly hung: () => number;
}

/**
 * The metrics of all processes, each series with a `worker` label. Series are not added up here: a restarted process
 * counts from 0. Prometheus handles that in one series and would misread it in a sum.
 */
export function createPoolMetrics({
  statuses,
  restarts,
  hung,
}: PoolMetricsDeps): Pick<Registry, 'contentType' | 'metrics'> {
  const own = new Registry();
  const running = new Gauge({
    name: 'waymark_workers_running',
    help: 'Data-plane processes that answer',
    registers: [own],
  });
  new Counter({
    name: 'waymark_worker_restarts_total',
    help: 'Data-plane processes started because the one before had ended',
    registers: [own],
    collect() {
      this.reset();
      this.inc(restarts());
    },
  });

  new Counter({
    name: 'waymark_workers_hung_total',
    help: 'Data-plane processes killed because they had not answered for 10 s',
    registers: [own],
    collect() {
      this.reset();
      this.inc(hung());
    },
  });

  return {
    contentType: own.contentType,
    async metrics() {
      const all = await statuses();
      running.set(all.filter((status) => typeof status !== 'string').length);
      const labelled = all.map((status, index) =>
        typeof status === 'string' ? [] : ofWorker(status.metrics, index + 1),
      );
      return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...labelled]).metrics();
    },
  };
}

function ofWorker(metrics: WorkerMetrics, worker: number): WorkerMetrics {
  return metrics.map((metric) => ({
    ...metric,
    // Every series belongs to one worker, so there is nothing to aggregate.
    aggregator: 'first',
    values: metric.values.map((value) => ({
      ...value,
      labels: { ...value.labels, worker: String(worker) },
    })),
  }));
}
