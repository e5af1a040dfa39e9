import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { WorkerMetrics } from './ipc-messages.js';
import type { SlotStatus } from './worker-slot.js';

export interface PoolMetricsDeps {
  /** One for each process there should be, the first one's first. */
  readonly statuses: () => Promise<readonly SlotStatus[]>;
  readonly restarts: () => number;
}

/**
 * The metrics of all processes, each series with its `worker`. They are not added up here: a process that starts
 * anew counts from 0, which Prometheus takes rightly for one series and would misread in a sum.
 */
export function createPoolMetrics({
  statuses,
  restarts,
}: PoolMetricsDeps): Pick<Registry, 'contentType' | 'metrics'> {
  const own = new Registry();
  const running = new Gauge({
    name: 'waymark_workers_running',
    help: 'Data-plane processes that answer visitors',
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

  return {
    contentType: own.contentType,
    async metrics() {
      const all = await statuses();
      running.set(all.filter((status) => status !== 'absent').length);
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
    // Every series is one worker's: there is nothing to aggregate, nor to leave out.
    aggregator: 'first',
    values: metric.values.map((value) => ({
      ...value,
      labels: { ...value.labels, worker: String(worker) },
    })),
  }));
}
