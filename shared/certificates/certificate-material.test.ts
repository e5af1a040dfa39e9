import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkCertificate, MAX_PEM_LENGTH, namesCover } from './certificate-material.js';
import { createTestAuthority } from './certificates.fixture.js';

const DAY_MS = 86_400_000;
const now = Date.now();
const authority = createTestAuthority();
const good = authority.issue(['Old.example.com', '*.example.com']);
const other = authority.issue(['other.example']);
const [leaf = '', intermediate = ''] = good.certificate.split(/(?<=-----END CERTIFICATE-----\n)/);
/** An RSA key of 4,104 bits that cannot sign: to search for its primes would take seconds. */
const longRsaKey = (() => {
  const number = (bytes: number) => Buffer.alloc(bytes, 0xff).toString('base64url');
  const numbers = { n: number(513), d: number(512), p: number(256), q: number(257) };
  const jwk = { kty: 'RSA', e: 'AQAB', ...numbers, dp: number(255), dq: number(256), qi: number(255) };
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
})();

describe('checking a certificate', () => {
  it('gives names in lower case, issuer, dates and fingerprint of the first certificate', () => {
    const checked = checkCertificate(good, now);
    expect(checked).toMatchObject({
      facts: {
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        names: ['old.example.com', '*.example.com'],
        issuer: 'Test Intermediate',
      },
    });
    const { notBefore, notAfter } = 'facts' in checked ? checked.facts : { notBefore: 0, notAfter: 0 };
    expect(notAfter - notBefore).toBe(91 * DAY_MS);
    expect(Math.abs(now - DAY_MS - notBefore)).toBeLessThan(60_000);
  });

  it('accepts RSA keys of 2,048 bits, PKCS #1 included, and a certificate without a chain', () => {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsa = authority.issue(['rsa.example'], { key });
    const privateKey = key.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(checkCertificate({ ...rsa, privateKey }, now)).toHaveProperty('facts');
    expect(checkCertificate({ ...good, certificate: leaf }, now)).toHaveProperty('facts');
  });

  it.each([
    ['text', { certificate: 'hello' }, 'certificate', /must be PEM/],
    ['damaged PEM', { certificate: leaf.replace(/MII?/, 'AAA') }, 'certificate', /damaged/],
    [
      'a text that is too long',
      { certificate: 'a'.repeat(MAX_PEM_LENGTH + 1) },
      'certificate',
      /at most 32768/,
    ],
    [
      'a chain of eleven',
      { certificate: leaf.repeat(11) },
      'certificate',
      /at most 10 certificates \(got 11\)/,
    ],
    [
      'an expired one',
      authority.issue(['a.example'], { notAfter: now - 1000 }),
      'certificate',
      /expired on 20/,
    ],
    [
      'one of the future',
      authority.issue(['a.example'], { notBefore: now + DAY_MS }),
      'certificate',
      /not valid before/,
    ],
    [
      'the issuer first',
      { certificate: intermediate + leaf },
      'certificate',
      /begin with the certificate of/,
    ],
    ['a foreign issuer', { certificate: leaf + createTestAuthority().root }, 'certificate', /out of order/],
    [
      'a gap in the chain',
      { certificate: leaf + authority.root + intermediate },
      'certificate',
      /certificate 2 must be the issuer of certificate 1/,
    ],
    ['no names', authority.issue([]), 'certificate', /at least one host/],
    ['the key of another', { privateKey: other.privateKey }, 'privateKey', /does not belong/],
    ['no key', { privateKey: '' }, 'privateKey', /must be PEM/],
    [
      'a key with a passphrase',
      {
        privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
          ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
        }),
      },
      'privateKey',
      /passphrase/,
    ],
    [
      'a short RSA key',
      authority.issue(['a.example'], { key: generateKeyPairSync('rsa', { modulusLength: 1024 }) }),
      'privateKey',
      /at least 2048 bits \(got 1024\)/,
    ],
    [
      'an Ed25519 key',
      authority.issue(['a.example'], { key: generateKeyPairSync('ed25519') }),
      'privateKey',
      /RSA or EC key \(got ed25519\)/,
    ],
    [
      'a long RSA key',
      authority.issue(['a.example'], { key: longRsaKey }),
      'privateKey',
      /at most 4096 bits \(got 4104\)/,
    ],
    [
      'an EC key of another curve',
      authority.issue(['a.example'], { key: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }) }),
      'privateKey',
      /P-256, P-384 or P-521 \(got secp256k1\)/,
    ],
    [
      'an RSA-PSS key',
      authority.issue(['a.example'], { key: generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }) }),
      'privateKey',
      /RSA or EC key \(got rsa-pss\)/,
    ],
    [
      'too many names',
      authority.issue(Array.from({ length: 1_001 }, (_, index) => `h${index}.example`)),
      'certificate',
      /at most 1000 names \(got 1001\)/,
    ],
  ])('refuses %s, and names the field', (_what, change, field, message) => {
    const checked = checkCertificate({ ...good, ...(change as object) }, now);
    expect(checked).toEqual({ problem: { field, message: expect.stringMatching(message) } });
  });
});

it('a certificate that is no upload may have a long key and expired dates', () => {
  const expired = authority.issue(['rsa.example'], { key: longRsaKey, notAfter: now - DAY_MS / 2 });
  expect(checkCertificate(expired, undefined)).toHaveProperty('facts');
});

describe('names of a certificate', () => {
  it.each([
    ['old.example.com', true],
    ['new.example.com', true],
    ['example.com', false],
    ['a.b.example.com', false],
    ['example', false],
  ])('cover %s: %s', (host, covered) => {
    expect(namesCover(['old.example.com', '*.example.com'], host)).toBe(covered);
  });
});
