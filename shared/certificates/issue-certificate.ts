import { type KeyObject, randomBytes, sign } from 'node:crypto';

// Object identifiers, in DER: RFC 5280, RFC 5758.
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
export const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');
export const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
/** DER tags by type of content. */
export const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  utf8: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
};
const TRUE = Buffer.from('0101ff', 'hex');
const SERIAL_BYTES = 16;

export interface CertificateContent {
  readonly commonName: string;
  /** DNS names, ASCII. */
  readonly names: readonly string[];
  readonly publicKey: KeyObject;
  readonly issuer: { readonly commonName: string; readonly privateKey: KeyObject };
  /** Unix ms. */
  readonly notBefore: number;
  /** Unix ms. */
  readonly notAfter: number;
  readonly isAuthority?: boolean;
}

/**
 * Returns a certificate as PEM (X.509 version 3, RFC 5280), signed with ECDSA and SHA-256. Node's crypto module can
 * read certificates but not create them.
 */
export function issueCertificate(content: CertificateContent): string {
  const toBeSigned = sequence(
    element(0xa0, element(TAG.integer, Buffer.from([2]))),
    element(TAG.integer, serialNumber()),
    ECDSA_WITH_SHA256,
    nameOf(content.issuer.commonName),
    sequence(time(content.notBefore), time(content.notAfter)),
    nameOf(content.commonName),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions(content))),
  );
  const signature = sign('sha256', toBeSigned, content.issuer.privateKey);
  return toPem(sequence(toBeSigned, ECDSA_WITH_SHA256, bits(signature)));
}

function* extensions({ names, isAuthority = false }: CertificateContent): Generator<Buffer> {
  if (isAuthority) yield sequence(BASIC_CONSTRAINTS, TRUE, element(TAG.octets, sequence(TRUE)));
  if (names.length === 0) return;
  const dnsNames = names.map((name) => element(0x82, Buffer.from(name, 'ascii')));
  yield sequence(SUBJECT_ALT_NAME, element(TAG.octets, sequence(...dnsNames)));
}

function nameOf(commonName: string): Buffer {
  const attribute = sequence(COMMON_NAME, element(TAG.utf8, Buffer.from(commonName)));
  return sequence(element(TAG.set, attribute));
}

/** Returns a random positive number without leading zeros. DER forbids leading zeros, and the first bit is the sign. */
function serialNumber(): Buffer {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);
  return element(TAG.time, Buffer.from(`${digits}Z`));
}

/** Returns a DER bit string of whole bytes. */
export function bits(content: Buffer): Buffer {
  return element(TAG.bits, Buffer.concat([Buffer.from([0]), content]));
}

/** Returns a sequence in DER. */
export function sequence(...parts: Buffer[]): Buffer {
  return element(TAG.sequence, Buffer.concat(parts));
}

/** Returns a value in DER: tag, length, content. */
export function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const head = length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
