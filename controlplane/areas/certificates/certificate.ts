import type { CertificateFacts } from '../../../shared/certificates/certificate-material.js';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { CertificateState } from './certificate-states.js';
import type { FailureCode } from './failures.js';

/** Reason for the last failure, with an instruction for the owner. */
export interface LastError {
  readonly code: FailureCode;
  readonly message: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A DNS record as the API shows it. */
export interface DnsRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'CAA';
  readonly name: string;
  readonly value: string;
}

/** The DNS records that a certificate needs, and those that the last check found. */
export interface DnsRecords {
  readonly required: readonly DnsRecord[];
  readonly found: readonly DnsRecord[];
}

/** The certificate of a host, or the state of the work on one. It never holds a private key. */
export interface Certificate {
  readonly host: string;
  readonly userId: string;
  readonly source: 'acme' | 'uploaded' | 'directory';
  readonly state: CertificateState;
  readonly served: ServedCertificate | undefined;
  /** Names the key that the served certificate was encrypted with. */
  readonly keyId: string | null;
  readonly renewAt: Date | null;
  readonly lastError: LastError | null;
  readonly dns: DnsRecords | null;
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  /** The wildcard redirect that serves the host; null if the host has its own redirect. */
  readonly wildcard: string | null;
}

/** The certificate that visitors get. */
export interface ServedCertificate {
  readonly fingerprint: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Returns the facts of a certificate as the API shows them. */
export function servedFrom({
  fingerprint,
  issuer,
  names,
  notBefore,
  notAfter,
}: CertificateFacts): ServedCertificate {
  return { fingerprint, issuer, names, notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

/** Returns the host of the redirect that names a certificate. */
export function redirectHostOf({ host, wildcard }: Pick<Certificate, 'host' | 'wildcard'>): string {
  return wildcard ?? host;
}

/** Returns the version for entity tags: it changes when another certificate is served. */
export function certificateVersion(certificate: Certificate | undefined): number {
  return Number.parseInt(certificate?.served?.fingerprint.slice(0, 12) ?? '0', 16);
}

/** Columns of a certificate, without secrets. */
export const CERTIFICATE_COLUMNS = asMembers(
  `host, user_id, source, state, fingerprint, key_id, issuer, names, not_before, not_after, renew_at, last_error, dns,
   failures, next_attempt_at, wildcard`,
  'certificates',
);

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

/** A row of `CERTIFICATE_COLUMNS`. Those of the served certificate are null together. */
export type CertificateRow = Omit<Certificate, 'served'> & {
  readonly [Member in keyof ServedCertificate]: ServedCertificate[Member] | null;
};

/** Groups the columns of the served certificate in `served`. Other columns are unchanged. */
export function toCertificate<Row extends CertificateRow>(row: Row) {
  const { fingerprint, issuer, names, notBefore, notAfter, ...others } = row;
  const served: Certificate['served'] =
    fingerprint === null || notBefore === null || notAfter === null
      ? undefined
      : { fingerprint, issuer: issuer ?? '', names: names ?? [], notBefore, notAfter };
  return { ...others, served };
}
