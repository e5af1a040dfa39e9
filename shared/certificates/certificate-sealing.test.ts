import { describe, expect, it } from 'vitest';
import { createCertificateSealing, UnreadableCertificateError } from './certificate-sealing.js';

const sealing = createCertificateSealing(Buffer.from('a secret key of this installation'));
const material = { certificate: 'chain', privateKey: 'the private key' };

describe('sealing of certificates', () => {
  it('opens sealed certificates, and never produces the same sealed text twice', () => {
    const sealed = sealing.seal('aa', material);
    expect(sealing.open('aa', sealed)).toEqual(material);
    expect(sealing.seal('aa', material)).not.toBe(sealed);
    expect(Buffer.from(sealed, 'base64').includes('private')).toBe(false);
  });

  it('opens nothing sealed under another fingerprint or key, damaged or cut', () => {
    const sealed = sealing.seal('aa', material);
    const damaged = Buffer.from(sealed, 'base64');
    damaged[20] = (damaged[20] ?? 0) ^ 1;
    const another = createCertificateSealing(Buffer.from('another key'));
    for (const attempt of [
      () => sealing.open('bb', sealed),
      () => another.open('aa', sealed),
      () => sealing.open('aa', damaged.toString('base64')),
      () => sealing.open('aa', sealed.slice(0, 8)),
      () => sealing.open('aa', ''),
      () => sealing.open('aa', sealing.seal('aa', { ...material, privateKey: 1 } as never)),
    ]) {
      expect(attempt).toThrow(UnreadableCertificateError);
    }
  });
});
