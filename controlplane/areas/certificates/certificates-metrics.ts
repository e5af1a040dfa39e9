import { Counter, Gauge } from 'prom-client';
import type { AreaParts } from '../../area.js';
import { certificateRepository } from './certificate-repository.js';
import { CERTIFICATE_STATES } from './certificate-states.js';
import type { DirectoryView } from './directory-view.js';
import { FAILURE_CODES, type FailureCode } from './failures.js';

/** Counting a million certificates takes a second, so one count serves several scrapes. */
const KEPT_MS = 60_000;

export interface CertificatesMetrics {
  /** Counts an attempt that ended with a certificate, or with a failure of this kind. */
  ordered(outcome: 'issued' | FailureCode): void;
}

export interface CertificatesMetricsDeps extends Pick<AreaParts, 'metrics' | 'database' | 'logger'> {
  readonly directory: Pick<DirectoryView, 'nearestExpiry'>;
}

/** Shows orders, certificates by state, and the next expiry to Prometheus. */
export function createCertificatesMetrics(deps: CertificatesMetricsDeps): CertificatesMetrics {
  const { metrics, database, directory, logger } = deps;
  const orders = new Counter({
    name: 'waymark_certificate_orders_total',
    help: 'Attempts to obtain a certificate, by outcome: issued, or the kind of failure.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of ['issued', ...FAILURE_CODES]) orders.inc({ outcome }, 0);
  const expiry = new Gauge({
    name: 'waymark_certificate_nearest_expiry_seconds',
    help: 'Time until the first certificate in use expires, those of TLS_CERTIFICATES_DIR included. Absent without certificates.',
    // A gauge with a label is absent until it has a value.
    labelNames: ['scope'],
    registers: [metrics],
    collect: () => refresh(),
  });
  const states = new Gauge({
    name: 'waymark_certificates',
    help: 'Certificates and hosts that are to have one, by state. Up to a minute old.',
    labelNames: ['state'],
    registers: [metrics],
    collect: () => refresh(),
  });
  let reading: Promise<void> | undefined;
  let readMs = Number.NEGATIVE_INFINITY;

  /** Reads once for both metrics, and once a minute. */
  function refresh(): Promise<void> {
    if (performance.now() - readMs >= KEPT_MS) {
      readMs = performance.now();
      reading = read().catch((error: unknown) => {
        states.reset();
        expiry.reset();
        logger.warn({ err: error }, 'certificates could not be counted for metrics');
      });
    }
    return reading ?? Promise.resolve();
  }

  async function read(): Promise<void> {
    const counts = new Map(
      (await certificateRepository.countByState(database)).map(({ state, count }) => [state, count]),
    );
    for (const state of CERTIFICATE_STATES) states.set({ state }, counts.get(state) ?? 0);
    const stored = (await certificateRepository.nearestExpiry(database))?.getTime();
    const nearest = [stored, directory.nearestExpiry()].filter((ms) => ms !== undefined);
    if (nearest.length === 0) expiry.reset();
    else expiry.set({ scope: 'all' }, (Math.min(...nearest) - Date.now()) / 1_000);
  }

  return { ordered: (outcome) => orders.inc({ outcome }) };
}
