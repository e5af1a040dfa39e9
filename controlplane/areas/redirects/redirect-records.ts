import type { FastifyBaseLogger } from 'fastify';
import type { Plan } from '../../plan.js';
import type { UsageReading } from '../analytics/public.js';
import type { CertificateRecord } from '../certificates/public.js';
import type { Redirect } from './redirect.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import type { RedirectRecord } from './redirect-schema.js';
import { nextStatusChangeMs } from './redirect-status.js';

/** Hits of this month, by redirect id; rejects when they cannot be had. */
export type UsageOf = (redirectIds: readonly string[]) => Promise<UsageReading>;

/** Certificates by host, of those hosts that have one; rejects when they cannot be had. */
export type CertificatesOf = (hosts: readonly string[]) => Promise<ReadonlyMap<string, CertificateRecord>>;

/** Certificates change without their redirects, so that a record with them is not kept longer. */
const CERTIFICATES_FRESH_MS = 5_000;

/** Records, and until when (milliseconds since 1970) they are true while redirects and plan stay the same. */
export interface Records {
  readonly records: readonly RedirectRecord[];
  readonly month: string;
  readonly freshUntilMs: number;
}

/** Makes what the API shows of some redirects, in their order: with the last known usage, or zeros, where it cannot be read. */
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
    // Analytics being away or busy must not keep anybody from managing redirects.
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

/** Several users may claim a host. The certificate is of the one who verified it. */
function certificateIn(
  certificates: ReadonlyMap<string, CertificateRecord> | undefined,
  { fromDomain, verifiedAt }: Redirect,
): CertificateRecord | null {
  return (verifiedAt !== null && certificates?.get(fromDomain)) || null;
}

/** Returns when the passing of time next changes the status of one of them; infinity for never. */
export function firstStatusChangeMs(redirects: readonly Redirect[]): number {
  const nowMs = Date.now();
  return redirects.reduce(
    (firstMs, redirect) => Math.min(firstMs, nextStatusChangeMs(redirect, nowMs)),
    Number.POSITIVE_INFINITY,
  );
}
