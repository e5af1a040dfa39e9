import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Certificate } from './certificate.js';
import { certificateRepository } from './certificate-repository.js';
import type { SealingKeys } from './sealing-keys.js';

/** Maximum number of certificates whose warnings are remembered. */
const MAX_REMEMBERED = 10_000;
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Kinds of warnings. */
export const WARNING_CODES = ['UNTRUSTED_ISSUER', 'UNSUPPORTED_CURVE'] as const;

/** A reason why some visitors may not accept a certificate that can be served. */
export interface CertificateWarning {
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
}

/**
 * Returns the warnings about certificates, by fingerprint. Certificates of TLS_CERTIFICATES_DIR have no warnings,
 * because the operator manages them.
 */
export type WarningsOf = (
  certificates: readonly Certificate[],
) => Promise<ReadonlyMap<string, readonly CertificateWarning[]>>;

export function createCertificateWarnings(database: Queryable, { sealing }: SealingKeys): WarningsOf {
  const remembered = new Map<string, readonly CertificateWarning[]>();

  return async (certificates) => {
    const fingerprints = certificates.flatMap(({ served, source }) =>
      served === undefined || source === 'directory' ? [] : [served.fingerprint],
    );
    if (remembered.size + fingerprints.length > MAX_REMEMBERED) remembered.clear();
    const missing = fingerprints.filter((fingerprint) => !remembered.has(fingerprint));
    const found = missing.length === 0 ? [] : await certificateRepository.findSealed(database, missing);
    for (const { fingerprint, sealed } of found) {
      try {
        remembered.set(fingerprint, warningsAbout(sealing.open(fingerprint, sealed).certificate));
      } catch {
        // Its key is unknown, which the state shows.
      }
    }
    return new Map(fingerprints.map((fingerprint) => [fingerprint, remembered.get(fingerprint) ?? []]));
  };
}

/**
 * Returns the warnings about a certificate.
 *
 * @param chain PEM: the certificate of the host, followed by its issuers in order
 */
export function warningsAbout(chain: string): CertificateWarning[] {
  const certificates = (chain.match(BLOCK) ?? []).map((block) => new X509Certificate(block));
  const [leaf] = certificates;
  const last = certificates.at(-1);
  const warnings: CertificateWarning[] = [];
  // Visitors need no certificate after the first one that a root has issued: some authorities add one for old devices.
  if (last !== undefined && !certificates.some(isIssuedByPublicRoot)) {
    const issuer = last.issuer.replaceAll('\n', ', ');
    const message =
      last.subject === last.issuer
        ? 'The certificate is signed by itself or by a private authority. Visitors do not trust it unless they installed that authority.'
        : `The issuer of the last certificate of the chain (${issuer}) is no public root. Visitors may not trust it. Add missing issuers to the chain, or use another authority.`;
    warnings.push({ code: 'UNTRUSTED_ISSUER', message });
  }
  if (leaf?.publicKey.asymmetricKeyDetails?.namedCurve === 'secp521r1') {
    const message = 'Chrome does not accept keys of the curve P-521. Use P-256 or RSA.';
    warnings.push({ code: 'UNSUPPORTED_CURVE', message });
  }
  return warnings;
}

let publicRoots: readonly X509Certificate[] | undefined;

/** Returns the roots with this subject that browsers trust, as far as this release of Node knows them. */
function rootsNamed(subject: string): readonly X509Certificate[] {
  // Parsing them takes 20 ms.
  publicRoots ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return publicRoots.filter((root) => root.subject === subject);
}

function isIssuedByPublicRoot(certificate: X509Certificate): boolean {
  return rootsNamed(certificate.issuer).some((root) => certificate.verify(root.publicKey));
}
