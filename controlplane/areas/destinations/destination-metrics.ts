import { Counter, type Registry } from 'prom-client';

export interface DestinationMetrics {
  /** Counts a check; `undefined` where no request was allowed. */
  checked(isFailed: boolean | undefined): void;
}

/** Shows checks of destinations to Prometheus. */
export function createDestinationMetrics(metrics: Registry): DestinationMetrics {
  const checks = new Counter({
    name: 'waymark_destination_checks_total',
    help: 'Checks of destinations, by outcome: ok, failed, or refused because of a private address.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of ['ok', 'failed', 'refused']) checks.inc({ outcome }, 0);
  return {
    checked: (isFailed) =>
      checks.inc({ outcome: isFailed === undefined ? 'refused' : isFailed ? 'failed' : 'ok' }),
  };
}
