import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface CertificateAuthority {
  /** PEM. */
  readonly cert: string;
  /** @param notAfter `YYYYMMDDHHMMSSZ` */
  issue(dnsName: string, notAfter?: string): Certificate;
}

const SEQUENCE = 0x30;
const OID_ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const OID_COMMON_NAME = Buffer.from('550403', 'hex');
const OID_BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex');
const OID_ALTERNATIVE_NAME = Buffer.from('551d11', 'hex');
const ALGORITHM = der(SEQUENCE, der(0x06, OID_ECDSA_WITH_SHA256));
const DNS_NAME = 0x82;
const NOT_AFTER = '21200101000000Z';

/** An untrusted authority, and server certificates that it issues (RFC 5280). */
export function createCertificateAuthority(): CertificateAuthority {
  const keys = newKeys();
  const name = 'Waymark test authority';
  const isAuthority = extension(OID_BASIC_CONSTRAINTS, der(SEQUENCE, der(0x01, Buffer.from([0xff]))));
  return {
    cert: certificate(
      { subject: name, issuer: name, subjectKey: keys.publicKey, notAfter: NOT_AFTER },
      isAuthority,
      keys.privateKey,
    ),
    issue(dnsName, notAfter = NOT_AFTER) {
      const { publicKey, privateKey } = newKeys();
      const names = extension(OID_ALTERNATIVE_NAME, der(SEQUENCE, der(DNS_NAME, Buffer.from(dnsName))));
      return {
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: certificate(
          { subject: dnsName, issuer: name, subjectKey: publicKey, notAfter },
          names,
          keys.privateKey,
        ),
      };
    },
  };
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function certificate(
  of: {
    readonly subject: string;
    readonly issuer: string;
    readonly subjectKey: KeyObject;
    readonly notAfter: string;
  },
  extensions: Buffer,
  issuerKey: KeyObject,
): string {
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ALGORITHM,
    distinguishedName(of.issuer),
    der(SEQUENCE, time('20200101000000Z'), time(of.notAfter)),
    distinguishedName(of.subject),
    of.subjectKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extensions)),
  );
  const signature = sign('sha256', toBeSigned, issuerKey);
  const whole = der(SEQUENCE, toBeSigned, ALGORITHM, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguishedName(commonName: string): Buffer {
  const attribute = der(SEQUENCE, der(0x06, OID_COMMON_NAME), der(0x0c, Buffer.from(commonName)));
  return der(SEQUENCE, der(0x31, attribute));
}

function time(text: string): Buffer {
  return der(0x18, Buffer.from(text));
}

function extension(oid: Buffer, value: Buffer): Buffer {
  return der(SEQUENCE, der(0x06, oid), der(0x04, value));
}

/** Returns one value in DER: tag, length, contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), body]);
}
