import { type Static, Type } from 'typebox';
import { MAX_PEM_LENGTH } from '../../../shared/certificates/certificate-material.js';
import { HOST_NAME } from '../../http/documented-formats.js';
import { nullable, PageSchema, pageOf, time } from '../../http/schema-parts.js';
import type { Certificate, DnsRecords } from './certificate.js';
import { CERTIFICATE_STATES } from './certificate-states.js';
import { type CertificateWarning, WARNING_CODES } from './certificate-warnings.js';
import { FAILURE_CODES } from './failures.js';

/** The member `certificate` of a redirect. */
export const CertificateSchema = Type.Object(
  {
    host: Type.String(),
    state: Type.Enum([...CERTIFICATE_STATES], {
      title: 'CertificateState',
      description:
        '`waiting_for_dns`: DNS does not point here yet. `ordering`: an order is in progress. `issued`: served. `renewing`: served and being replaced. `failed`: see `lastError`.',
    }),
    source: Type.Enum(['acme', 'uploaded', 'directory']),
    issuer: nullable(
      Type.String({ examples: ["Let's Encrypt R12"] }),
      'Issuer of the certificate.',
      'CertificateIssuer',
    ),
    notBefore: nullable(time, 'Start of the validity period.', 'NullableTime'),
    notAfter: nullable(time, 'End of the validity period.', 'NullableTime'),
    names: Type.Array(Type.String({ examples: ['old-shop.example.com'] }), {
      description: 'DNS names in the certificate.',
    }),
    lastError: nullable(
      Type.Object(
        {
          code: Type.Enum([...FAILURE_CODES]),
          message: Type.String({ description: 'The problem and what to do.' }),
          at: time,
        },
        { title: 'CertificateFailure' },
      ),
      'Reason for the failure of the last attempt.',
      'CertificateLastError',
    ),
    nextAttemptAt: nullable(
      time,
      'Expected time of the next attempt or, for an issued certificate, of the renewal.',
      'NullableTime',
    ),
  },
  { title: 'Certificate' },
);

const DnsRecordSchema = Type.Object(
  {
    type: Type.Enum(['A', 'AAAA', 'CNAME', 'CAA']),
    name: Type.String(),
    value: Type.String(),
  },
  { title: 'DnsRecord', examples: [{ type: 'A', name: 'old-shop.example.com', value: '203.0.113.7' }] },
);

const CertificateWarningSchema = Type.Object(
  { code: Type.Enum([...WARNING_CODES]), message: Type.String() },
  { title: 'CertificateWarning' },
);

/** A certificate as `/certificates` shows it. */
export const CertificateDetailSchema = Type.Object(
  {
    ...CertificateSchema.properties,
    dns: Type.Object({
      required: Type.Array(DnsRecordSchema, {
        description: 'DNS records that point the host to this server.',
      }),
      found: Type.Array(DnsRecordSchema, { description: 'DNS records found by the last check.' }),
    }),
    warnings: Type.Array(CertificateWarningSchema, {
      description: 'Reasons why some visitors may not accept the certificate. It is served nevertheless.',
    }),
  },
  { title: 'CertificateDetail' },
);

export const CertificatePageSchema = Type.Object({
  data: Type.Array(CertificateDetailSchema),
  page: PageSchema,
  total: Type.Optional(Type.Integer()),
  facets: Type.Optional(
    Type.Object({
      state: Type.Unsafe<Readonly<Record<string, number>>>({
        type: 'object',
        additionalProperties: { type: 'integer' },
      }),
    }),
  ),
});

export const CertificatePageQuerySchema = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, accepts: 'a whole number from 1 to 200' }),
  cursor: Type.Optional(Type.String({ maxLength: 1024, description: '`nextCursor` of the previous page.' })),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 253, description: 'Part of the host, case-insensitive.' }),
  ),
  state: Type.Optional(Type.Enum([...CERTIFICATE_STATES])),
  count: Type.Optional(
    Type.Boolean({
      description: 'Adds `total` and `facets`. The time for it grows with the number of certificates.',
    }),
  ),
});

/** A certificate in the operator's list. */
export const CertificateToCheckSchema = Type.Object(
  {
    ...CertificateSchema.properties,
    userId: nullable(Type.String(), 'Owner of the redirect. Null for certificates of TLS_CERTIFICATES_DIR.'),
    email: nullable(Type.String(), 'Address of the owner.'),
  },
  { title: 'CertificateToCheck' },
);

export const CertificatesToCheckSchema = pageOf(CertificateToCheckSchema);

export const CertificatesToCheckQuerySchema = Type.Object({
  limit: CertificatePageQuerySchema.properties.limit,
  cursor: CertificatePageQuerySchema.properties.cursor,
  search: CertificatePageQuerySchema.properties.search,
  days: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 21,
    description: 'Certificates whose validity period ends within this number of days are in the list.',
  }),
});

export const HostParamSchema = Type.Object({
  host: Type.String({ minLength: 1, maxLength: 512, documented: HOST_NAME }),
});

export const UploadCertificateSchema = Type.Object(
  {
    certificate: Type.String({
      maxLength: MAX_PEM_LENGTH,
      accepts: `PEM of at most ${MAX_PEM_LENGTH} characters: the certificate of the host, then its issuers in order`,
      description: 'Certificate of the host (PEM), followed by its issuers in order.',
    }),
    privateKey: Type.String({
      maxLength: MAX_PEM_LENGTH,
      accepts: `PEM of at most ${MAX_PEM_LENGTH} characters: an RSA or EC key without a passphrase`,
      description: 'Private key (PEM). It is stored encrypted and never shown.',
    }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        certificate: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
        privateKey: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
      },
    ],
  },
);

export type CertificateRecord = Static<typeof CertificateSchema>;
export type CertificateDetail = Static<typeof CertificateDetailSchema>;
export type UploadCertificate = Static<typeof UploadCertificateSchema>;

/** @param expectedAt when an order that waits for limits is expected to be placed */
export function certificateRecord(certificate: Certificate, expectedAt?: Date): CertificateRecord {
  const { host, state, source, served, lastError, renewAt, nextAttemptAt } = certificate;
  const expected = [nextAttemptAt, expectedAt].filter((time) => time != null);
  const next = state === 'issued' && source === 'acme' ? renewAt : expected.sort((a, b) => +b - +a)[0];
  return {
    ...{ host, state, source, lastError },
    issuer: served?.issuer ?? null,
    notBefore: served?.notBefore.toISOString() ?? null,
    notAfter: served?.notAfter.toISOString() ?? null,
    names: [...(served?.names ?? [])],
    nextAttemptAt: next?.toISOString() ?? null,
  };
}

/** Facts about a certificate that are not stored with it. */
export interface CertificateContext {
  /** Records that make the host point here. */
  readonly required: DnsRecords['required'];
  readonly warnings: readonly CertificateWarning[];
  /** Time at which an order that waits for limits is expected to be placed. */
  readonly expectedAt: Date | undefined;
}

export function certificateDetail(
  certificate: Certificate,
  { required, warnings, expectedAt }: CertificateContext,
): CertificateDetail {
  const dns = { required: [...required], found: [...(certificate.dns?.found ?? [])] };
  return { ...certificateRecord(certificate, expectedAt), dns, warnings: [...warnings] };
}
