import { createPrivateKey } from 'node:crypto';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import { issuedFrom } from './issued-certificate.js';
import { createSealingKeys } from './sealing-keys.js';

const HOST = 'issued.example';
const DAY_MS = 86_400_000;
const authority = createTestAuthority();
const keys = createSealingKeys(Buffer.from('a secret key of this test'), []);
const dns = { required: [], found: [] };

function issue(change: (chain: string) => string, dates = {}) {
  const { certificate, privateKey } = authority.issue([HOST], dates);
  const deps = { keys, logger: pino({ level: 'silent' }) };
  const issued = issuedFrom(deps, HOST, change(certificate), createPrivateKey(privateKey), dns);
  return { certificate, issued };
}

it('an issued chain is stored without the text between its certificates', () => {
  const { certificate, issued } = issue((chain) => `Subject: ${HOST}\n${chain}\n# end`);
  const { certificate: stored } = keys.sealing.open(issued.fingerprint, issued.sealed);
  expect(stored.trim()).toBe(certificate.trim());
});

it.each([
  ['ahead', { notBefore: Date.now() - 90 * DAY_MS, notAfter: Date.now() - DAY_MS }],
  ['behind', { notBefore: Date.now() + DAY_MS, notAfter: Date.now() + 90 * DAY_MS }],
])('an issued certificate is accepted by a machine whose clock is %s', (_what, dates) => {
  const { issued } = issue((chain) => chain, dates);
  expect(Math.floor(issued.notAfter.getTime() / 1_000)).toBe(Math.floor(dates.notAfter / 1_000));
});

it('a certificate of another host is refused', () => {
  const { certificate, privateKey } = authority.issue(['other.example']);
  const deps = { keys, logger: pino({ level: 'silent' }) };
  expect(() => issuedFrom(deps, HOST, certificate, createPrivateKey(privateKey), dns)).toThrow(
    /does not name issued\.example/,
  );
});
