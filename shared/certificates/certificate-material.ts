import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Maximum characters of a certificate chain or of a private key. A chain of four RSA certificates has about 8,000. */
export const MAX_PEM_LENGTH = 32_768;
const MAX_CHAIN_LENGTH = 10;
/** Maximum DNS names of an uploaded certificate. Authorities that browsers trust issue at most a few hundred. */
const MAX_NAMES = 1_000;
/** OpenSSL refuses shorter RSA keys at the security level of the server. */
const MIN_RSA_BITS = 2_048;
/** A handshake with a key of 8,192 bits takes about 30 times the CPU time of one with 2,048 bits. */
const MAX_RSA_BITS = 4_096;
/** Curves that servers and browsers support, as OpenSSL names them. */
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** A certificate with its private key, both as PEM. */
export interface CertificateMaterial {
  /** The certificate of the host, followed by those of its issuers. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** The facts of a certificate that can serve. */
export interface CertificateFacts {
  /** SHA-256 of the leaf's DER, lower-case hexadecimal. */
  readonly fingerprint: string;
  /** DNS names of the certificate, lower-case. A wildcard is written `*.example.com`. */
  readonly names: readonly string[];
  readonly issuer: string;
  /** Unix ms. */
  readonly notBefore: number;
  /** Unix ms. */
  readonly notAfter: number;
}

/** Reason why a certificate is unusable: the field, and a message for its owner. */
export interface CertificateProblem {
  readonly field: 'certificate' | 'privateKey';
  readonly message: string;
}

export type CheckedCertificate =
  | { readonly facts: CertificateFacts; readonly material: CertificateMaterial }
  | { readonly problem: CertificateProblem };

/**
 * Returns the facts of a certificate and the PEM blocks that a server loads, without text between the blocks. If a
 * server could not use it, returns the first reason.
 *
 * @param uploadedAtMs Unix ms. The certificate must then be valid, and its key and names within the limits of uploads.
 * Undefined for a certificate that was accepted before, or that comes from the operator or an authority
 */
export function checkCertificate(
  material: CertificateMaterial,
  uploadedAtMs: number | undefined,
): CheckedCertificate {
  const chain = readChain(material.certificate);
  if ('problem' in chain) return chain;
  const { leaf, issuers } = chain;
  const facts = factsOf(leaf);
  const isUpload = uploadedAtMs !== undefined;
  const message =
    datesProblem(facts, uploadedAtMs) ?? chainProblem(leaf, issuers) ?? namesProblem(facts, isUpload);
  if (message !== undefined) return { problem: { field: 'certificate', message } };
  const key = readKey(leaf, material.privateKey, isUpload ? MAX_RSA_BITS : Number.POSITIVE_INFINITY);
  if (typeof key === 'string') return { problem: { field: 'privateKey', message: key } };
  return { facts, material: { certificate: [leaf, ...issuers].join(''), privateKey: exportKey(key) } };
}

/** Returns whether one of the names matches the host. A wildcard matches exactly one label (RFC 6125). */
export function namesCover(names: readonly string[], host: string): boolean {
  const wildcard = wildcardFor(host);
  return names.some((name) => name === host || name === wildcard);
}

/** Returns the wildcard name that matches a host: its first label is replaced by `*`. */
export function wildcardFor(host: string): string {
  return `*${host.slice(host.indexOf('.'))}`;
}

/** Returns the lower-case hexadecimal SHA-256 of a certificate's DER. */
export function fingerprintOf(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}

type Chain = { readonly leaf: X509Certificate; readonly issuers: readonly X509Certificate[] };

function readChain(pem: string): Chain | { readonly problem: CertificateProblem } {
  const refuse = (message: string) => ({ problem: { field: 'certificate', message } as const });
  if (pem.length > MAX_PEM_LENGTH)
    return refuse(`certificate must have at most ${MAX_PEM_LENGTH} characters.`);
  const blocks = pem.match(CERTIFICATE_BLOCK) ?? [];
  if (blocks.length > MAX_CHAIN_LENGTH) {
    return refuse(`certificate must hold at most ${MAX_CHAIN_LENGTH} certificates (got ${blocks.length}).`);
  }
  try {
    const [leaf, ...issuers] = blocks.map((block) => new X509Certificate(block));
    if (leaf !== undefined) return { leaf, issuers };
  } catch {
    return refuse('certificate must be PEM, and one of its certificates is damaged.');
  }
  return refuse('certificate must be PEM: -----BEGIN CERTIFICATE-----, base64, -----END CERTIFICATE-----.');
}

function factsOf(leaf: X509Certificate): CertificateFacts {
  return {
    fingerprint: fingerprintOf(leaf),
    names: dnsNames(leaf.subjectAltName ?? ''),
    issuer: issuerName(leaf),
    notBefore: Date.parse(leaf.validFrom),
    notAfter: Date.parse(leaf.validTo),
  };
}

/** Returns the DNS names. Omits names with characters that need quotes, because they are not DNS names. */
function dnsNames(subjectAltName: string): string[] {
  return [...subjectAltName.matchAll(/(?:^|, )DNS:([\w.*-]+)(?=,|$)/g)].map(([, name = '']) =>
    name.toLowerCase(),
  );
}

/** Returns the organization and the common name of the issuer, if present. */
function issuerName({ issuer }: X509Certificate): string {
  const part = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(issuer)?.[1];
  return [part('O'), part('CN')].filter((text) => text !== undefined).join(' ') || issuer;
}

function datesProblem(
  { notBefore, notAfter }: CertificateFacts,
  nowMs: number | undefined,
): string | undefined {
  if (nowMs === undefined) return undefined;
  if (notAfter <= nowMs) return `certificate expired on ${new Date(notAfter).toISOString()}.`;
  if (notBefore > nowMs) return `certificate is not valid before ${new Date(notBefore).toISOString()}.`;
  return undefined;
}

function chainProblem(leaf: X509Certificate, issuers: readonly X509Certificate[]): string | undefined {
  if (leaf.ca && issuers.length > 0) {
    return 'certificate must begin with the certificate of the host, followed by its issuers in order.';
  }
  let issued = leaf;
  for (const [index, issuer] of issuers.entries()) {
    if (!issued.checkIssued(issuer) || !issued.verify(issuer.publicKey)) {
      return `certificate has its chain out of order: certificate ${index + 2} must be the issuer of certificate ${index + 1}.`;
    }
    issued = issuer;
  }
  return undefined;
}

function namesProblem({ names }: CertificateFacts, isUpload: boolean): string | undefined {
  if (names.length === 0) return 'certificate must name at least one host (subjectAltName).';
  if (!isUpload || names.length <= MAX_NAMES) return undefined;
  return `certificate must have at most ${MAX_NAMES} names (got ${names.length}).`;
}

function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Returns the key, or why a server could not use it. */
function readKey(leaf: X509Certificate, pem: string, maxRsaBits: number): KeyObject | string {
  if (pem.length > MAX_PEM_LENGTH) return `privateKey must have at most ${MAX_PEM_LENGTH} characters.`;
  if (pem.includes('ENCRYPTED')) return 'privateKey must not be protected by a passphrase.';
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return 'privateKey must be PEM of an RSA or EC private key.';
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type !== 'rsa' && type !== 'ec') return `privateKey must be an RSA or EC key (got ${type}).`;
  const rsaBits = type === 'rsa' ? (details?.modulusLength ?? 0) : undefined;
  if (rsaBits !== undefined && rsaBits < MIN_RSA_BITS) {
    return `privateKey must have at least ${MIN_RSA_BITS} bits (got ${rsaBits}).`;
  }
  if (rsaBits !== undefined && rsaBits > maxRsaBits) {
    return `privateKey must have at most ${maxRsaBits} bits (got ${rsaBits}).`;
  }
  if (type === 'ec' && !CURVES.has(details?.namedCurve ?? '')) {
    return `privateKey must be of the curve P-256, P-384 or P-521 (got ${details?.namedCurve}).`;
  }
  return leaf.checkPrivateKey(key) ? key : 'privateKey does not belong to the certificate.';
}
