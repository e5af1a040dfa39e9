import type { Certificate, DnsRecords, LastError } from './certificate.js';
import type { CertificateState } from './certificate-states.js';

/** Columns of a certificate, without secrets. */
export const CERTIFICATE_COLUMNS = `certificates.host, certificates.user_id, certificates.source, certificates.state,
  certificates.fingerprint, certificates.key_id, certificates.issuer, certificates.names, certificates.not_before, certificates.not_after,
  certificates.renew_at, certificates.last_error, certificates.dns, certificates.failures,
  certificates.next_attempt_at, certificates.removed_at, certificates.wildcard`;

/** Condition of an upsert: the row stays with its user. */
export const IS_OF_OWNER = 'certificates.user_id = excluded.user_id';

/** Assignments of an upsert: nothing of a former owner's certificate or order is left to the new one. */
export const KEPT_BY_OWNER = [
  ...[
    'fingerprint',
    'sealed',
    'key_id',
    'issuer',
    'names',
    'not_before',
    'not_after',
    'renewal_id',
    'renew_at',
  ],
  ...['last_error', 'dns', 'pending_order', 'pending_key', 'expiry_announced'],
]
  .map((column) => `${column} = CASE WHEN ${IS_OF_OWNER} THEN certificates.${column} END`)
  .concat(`failures = CASE WHEN ${IS_OF_OWNER} THEN certificates.failures ELSE 0 END`)
  .join(', ');

export interface CertificateRow {
  readonly host: string;
  readonly user_id: string;
  readonly source: Certificate['source'];
  readonly state: CertificateState;
  readonly fingerprint: string | null;
  readonly key_id: string | null;
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
  readonly wildcard: string | null;
}

export function toCertificate(row: CertificateRow): Certificate {
  return {
    host: row.host,
    userId: row.user_id,
    source: row.source,
    state: row.state,
    served: servedIn(row),
    keyId: row.key_id ?? undefined,
    renewAt: row.renew_at ?? undefined,
    lastError: row.last_error ?? undefined,
    dns: row.dns ?? undefined,
    failures: row.failures,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    isRemoved: row.removed_at !== null,
    wildcard: row.wildcard ?? undefined,
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
