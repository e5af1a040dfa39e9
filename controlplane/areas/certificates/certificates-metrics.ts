import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../../storage/postgres/database.js';
import { certificateRepository } from './certificate-repository.js';
import { CERTIFICATE_STATES } from './certificate-states.js';
import { FAILURE_CODES, type FailureCode } from './failures.js';

/** Counting a million certificates takes a second, so that one count serves several scrapes. */
const KEPT_MS = 60_000;

export interface CertificatesMetrics {
  /** Counts an attempt that ended with a certificate, or with a failure of this kind. */
  ordered(outcome: 'issued' | FailureCode): void;
}

export interface CertificatesMetricsDeps {
  readonly metrics: Registry;
  readonly database: Queryable;
  readonly logger: Logger;
}

/** Shows orders, certificates by state, and the next expiry to Prometheus. */
export function createCertificatesMetrics(deps: CertificatesMetricsDeps): CertificatesMetrics {
  const { metrics, database, logger } = deps;
  const orders = new Counter({
    name: 'waymark_certificate_orders_total',
    help: 'Attempts to obtain a certificate, by outcome: issued, or the kind of failure.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of ['issued', ...FAILURE_CODES]) orders.inc({ outcome }, 0);
  const expiry = new Gauge({
    name: 'waymark_certificate_nearest_expiry_seconds',
    help: 'Time until the first certificate in use expires. Absent without certificates.',
    // With a label, nothing is shown until there is a value.
    labelNames: ['scope'],
    registers: [metrics],
  });
  let readMs = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: 'waymark_certificates',
    help: 'Certificates and hosts that are to have one, by state. Up to a minute old.',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      if (performance.now() - readMs < KEPT_MS) return;
      readMs = performance.now();
      try {
        const counts = new Map(
          (await certificateRepository.countByState(database)).map(({ state, count }) => [state, count]),
        );
        for (const state of CERTIFICATE_STATES) this.set({ state }, counts.get(state) ?? 0);
        const nearest = await certificateRepository.nearestExpiry(database);
        if (nearest === undefined) expiry.reset();
        else expiry.set({ scope: 'all' }, (nearest.getTime() - Date.now()) / 1_000);
      } catch (error) {
        this.reset();
        expiry.reset();
        logger.warn({ err: error }, 'certificates could not be counted for metrics');
      }
    },
  });
  return { ordered: (outcome) => orders.inc({ outcome }) };
}
