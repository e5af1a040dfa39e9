import { generateKeyPairSync } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import { warningsAbout } from './certificate-warnings.js';

const authority = createTestAuthority();
const codes = (chain: string) => warningsAbout(chain).map(({ code }) => code);

it('a certificate of a public root has no warning', () => {
  expect(codes(rootCertificates[0] ?? '')).toEqual([]);
});

it('a chain that goes on after the certificate that a public root issued has no warning', () => {
  expect(codes(`${rootCertificates[0]}\n${authority.issue(['a.example']).certificate}`)).toEqual([]);
});

it('a certificate of a private authority, or without an issuer that is known, has one', () => {
  const { certificate } = authority.issue(['a.example']);
  expect(warningsAbout(certificate)[0]?.message).toMatch(/CN=Test Root\) is no public root/);
  expect(warningsAbout(certificate + authority.root)[0]?.message).toMatch(/signed by itself or by a private/);
});

it('a key that Chrome does not accept has one', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  expect(codes(authority.issue(['a.example'], { key }).certificate)).toContain('UNSUPPORTED_CURVE');
});
