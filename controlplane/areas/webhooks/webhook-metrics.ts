import { Counter, Gauge, Histogram } from 'prom-client';
import type { AreaParts } from '../../area.js';
import { deliveryQueue } from './delivery-queue.js';
import { isTaken, type LoggedAttempt } from './webhook-delivery.js';

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

export type WebhookMetricsDeps = Pick<AreaParts, 'metrics' | 'database' | 'logger'>;

/** Exports the outcomes of messages and the number of waiting ones to Prometheus. */
export function createWebhookMetrics({ metrics, database, logger }: WebhookMetricsDeps) {
  const registers = [metrics];
  const attempts = new Counter({
    name: 'waymark_webhook_attempts_total',
    help: 'Attempts to send a message, by outcome: delivered, refused (an answer other than 2xx), or the error.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'waymark_webhook_attempt_duration_seconds',
    help: 'How long attempts took, names and connection included.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10],
    registers,
  });
  const givenUp = new Counter({
    name: 'waymark_webhook_given_up_total',
    help: 'Messages that nobody took in all their attempts.',
    registers,
  });
  registerBacklog({ metrics, database, logger });

  return {
    attempted(attempt: LoggedAttempt): void {
      attempts.inc({ outcome: attempt.error ?? (isTaken(attempt) ? 'delivered' : 'refused') });
      durations.observe(attempt.durationMs / 1000);
    },
    gaveUp: (): void => givenUp.inc(),
  };
}

function registerBacklog({ metrics, database, logger }: WebhookMetricsDeps): void {
  const overdue = new Gauge({
    name: 'waymark_webhook_overdue_seconds',
    help: 'How long the message that has been due longest has been so.',
    registers: [metrics],
  });
  new Gauge({
    name: 'waymark_webhook_pending',
    help: 'Messages that are still to be sent, at once or later.',
    registers: [metrics],
    async collect() {
      try {
        const { pending, overdueSeconds } = await deliveryQueue.backlog(database);
        this.set(pending);
        overdue.set(overdueSeconds);
      } catch (error) {
        this.reset();
        overdue.reset();
        logger.warn({ err: error }, 'the messages that wait could not be counted for metrics');
      }
    },
  });
}
