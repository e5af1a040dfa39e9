import { generateKeyPairSync } from 'node:crypto';
import type { CertificateMaterial } from '../../shared/certificates/certificate-material.js';
import { issueCertificate } from '../../shared/certificates/issue-certificate.js';

/** The top-level domain `invalid` never exists (RFC 2606). */
const NAME = 'unknown-host.invalid';
const DAY_MS = 86_400_000;
const VALID_DAYS = 3_650;

/** Makes a self-signed certificate for clients that ask for an unknown name: a handshake cannot be refused. */
export function createFallbackCertificate(): CertificateMaterial {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = issueCertificate({
    commonName: NAME,
    names: [NAME],
    publicKey,
    issuer: { commonName: NAME, privateKey },
    notBefore: Date.now() - DAY_MS,
    notAfter: Date.now() + VALID_DAYS * DAY_MS,
  });
  return { certificate, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
