import { asMembers } from '../../storage/postgres/as-members.js';
import type { Certificate, ServedCertificate } from './certificate.js';

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

/** Puts the members of the served certificate together. Others stay as they are. */
export function toCertificate<Row extends CertificateRow>(row: Row) {
  const { fingerprint, issuer, names, notBefore, notAfter, ...others } = row;
  const served: Certificate['served'] =
    fingerprint === null || notBefore === null || notAfter === null
      ? undefined
      : { fingerprint, issuer: issuer ?? '', names: names ?? [], notBefore, notAfter };
  return { ...others, served };
}
