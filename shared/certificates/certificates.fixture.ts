import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { CertificateMaterial } from './certificate-material.js';
import { issueCertificate } from './issue-certificate.js';

const DAY_MS = 86_400_000;

/** A certificate authority of a test. */
export interface TestAuthority {
  /** PEM, for clients that verify. */
  readonly root: string;
  /** Issues a certificate for these names: leaf, intermediate and private key. */
  issue(names: readonly string[], options?: TestCertificateOptions): CertificateMaterial;
}

export interface TestCertificateOptions {
  /** Unix ms. Default: a day ago. */
  readonly notBefore?: number;
  /** Unix ms. Default: in 90 days. */
  readonly notAfter?: number;
  /** Default: EC P-256. */
  readonly key?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
}

export function createTestAuthority(name = 'Test'): TestAuthority {
  const always = { notBefore: Date.now() - 365 * DAY_MS, notAfter: Date.now() + 365 * DAY_MS };
  const rootKey = ecKey();
  const rootName = { commonName: `${name} Root`, privateKey: rootKey.privateKey };
  const root = issueCertificate({
    ...{ commonName: rootName.commonName, names: [], publicKey: rootKey.publicKey, issuer: rootName },
    ...always,
    isAuthority: true,
  });
  const intermediateKey = ecKey();
  const intermediateName = { commonName: `${name} Intermediate`, privateKey: intermediateKey.privateKey };
  const intermediate = issueCertificate({
    ...{ commonName: intermediateName.commonName, names: [], publicKey: intermediateKey.publicKey },
    ...always,
    issuer: rootName,
    isAuthority: true,
  });
  return {
    root,
    issue(
      names,
      { notBefore = Date.now() - DAY_MS, notAfter = Date.now() + 90 * DAY_MS, key = ecKey() } = {},
    ) {
      const { publicKey, privateKey } = key;
      const content = { commonName: names[0] ?? '', names, publicKey, notBefore, notAfter };
      const leaf = issueCertificate({ ...content, issuer: intermediateName });
      return {
        certificate: leaf + intermediate,
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

function ecKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}
