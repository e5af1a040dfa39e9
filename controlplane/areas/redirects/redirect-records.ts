import type { FastifyBaseLogger } from 'fastify';
import type { Plan } from '../../plan.js';
import type { UsageReading } from '../analytics/public.js';
import type { CertificateRecord } from '../certificates/public.js';
import type { Redirect } from './redirect.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import type { RedirectRecord } from './redirect-schema.js';
import { nextStatusChangeMs } from './redirect-status.js';

/** Hits of this month by redirect id. Rejects if the statistics do not answer. */
export type UsageOf = (redirectIds: readonly string[]) => Promise<UsageReading>;

/** Certificates by host, of the hosts that have one. Rejects if they cannot be read. */
export type CertificatesOf = (hosts: readonly string[]) => Promise<ReadonlyMap<string, CertificateRecord>>;

/** Certificates change without their redirects, so a record with one is not cached longer. */
const CERTIFICATES_FRESH_MS = 5_000;

/**
 * Records, and the time (milliseconds since 1970) until which they are valid while redirects and plan do not change.
 */
export interface Records {
  readonly records: readonly RedirectRecord[];
  readonly month: string;
  readonly freshUntilMs: number;
}

/**
 * Creates the API's records of some redirects, in their order. If usage cannot be read, it uses the last known values
 * or zeros.
 */
export type RecordsOf = (
  redirects: readonly Redirect[],
  plan: Plan,
  log: FastifyBaseLogger,
) => Promise<Records>;

/** @param certificatesOf default: no redirect has a certificate */
export function createRecords(usageOf: UsageOf, certificatesOf?: CertificatesOf): RecordsOf {
  const knownUntilMs = () =>
    certificatesOf === undefined ? Number.POSITIVE_INFINITY : Date.now() + CERTIFICATES_FRESH_MS;

  return async (redirects, plan, log) => {
    // Redirects can be managed while the statistics are unavailable or busy.
    const { usage, freshUntilMs, problem } = await usageOf(redirects.map(({ id }) => id)).catch(
      (problem: unknown): UsageReading => ({ usage: new Map(), freshUntilMs: 0, problem }),
    );
    if (problem !== undefined) {
      log.warn({ err: problem }, 'usage cannot be read at the moment; the last known usage is shown');
    }
    const hosts = redirects
      .filter(({ verifiedAt }) => verifiedAt !== null)
      .map(({ fromDomain }) => fromDomain);
    const untilMs = Math.min(freshUntilMs, knownUntilMs(), firstStatusChangeMs(redirects));
    const certificates = await certificatesOf?.(hosts);
    const month = currentMonth();
    const records = redirects.map((redirect) =>
      redirectRecord(
        redirect,
        plan,
        usage.get(redirect.id) ?? NO_USAGE,
        month,
        certificateIn(certificates, redirect),
      ),
    );
    return { records, month, freshUntilMs: untilMs };
  };
}

/**
 * Returns the certificate of a redirect. Several users may claim a host; the certificate belongs to the user who
 * verified it.
 */
function certificateIn(
  certificates: ReadonlyMap<string, CertificateRecord> | undefined,
  { fromDomain, verifiedAt }: Redirect,
): CertificateRecord | null {
  return (verifiedAt !== null && certificates?.get(fromDomain)) || null;
}

/** Returns the next time at which the status of one of them changes without a request; infinity for never. */
export function firstStatusChangeMs(redirects: readonly Redirect[]): number {
  const nowMs = Date.now();
  return redirects.reduce(
    (firstMs, redirect) => Math.min(firstMs, nextStatusChangeMs(redirect, nowMs)),
    Number.POSITIVE_INFINITY,
  );
}
