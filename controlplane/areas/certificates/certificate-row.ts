import type { Certificate, DnsRecords, LastError } from './certificate.js';
import type { CertificateState } from './certificate-states.js';

/** Columns of a certificate, without secrets. */
export const CERTIFICATE_COLUMNS = `certificates.host, certificates.user_id, certificates.source, certificates.state,
  certificates.fingerprint, certificates.issuer, certificates.names, certificates.not_before, certificates.not_after,
  certificates.renew_at, certificates.last_error, certificates.dns, certificates.failures,
  certificates.next_attempt_at, certificates.removed_at`;

export interface CertificateRow {
  readonly host: string;
  readonly user_id: string;
  readonly source: Certificate['source'];
  readonly state: CertificateState;
  readonly fingerprint: string | null;
  readonly issuer: string | null;
  readonly names: readonly string[] | null;
  readonly not_before: Date | null;
  readonly not_after: Date | null;
  readonly renew_at: Date | null;
  readonly last_error: LastError | null;
  readonly dns: DnsRecords | null;
  readonly failures: number;
  readonly next_attempt_at: Date | null;
  readonly removed_at: Date | null;
}

export function toCertificate(row: CertificateRow): Certificate {
  return {
    host: row.host,
    userId: row.user_id,
    source: row.source,
    state: row.state,
    served: servedIn(row),
    renewAt: row.renew_at ?? undefined,
    lastError: row.last_error ?? undefined,
    dns: row.dns ?? undefined,
    failures: row.failures,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    isRemoved: row.removed_at !== null,
  };
}

function servedIn({
  fingerprint,
  issuer,
  names,
  not_before,
  not_after,
}: CertificateRow): Certificate['served'] {
  if (fingerprint === null || not_before === null || not_after === null) return undefined;
  return {
    fingerprint,
    issuer: issuer ?? '',
    names: names ?? [],
    notBefore: not_before,
    notAfter: not_after,
  };
}
