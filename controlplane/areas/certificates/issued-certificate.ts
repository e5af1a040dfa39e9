import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { checkCertificate, namesCover } from '../../../shared/certificates/certificate-material.js';
import { renewalIdOf } from './acme/renewal-info.js';
import { type DnsRecords, servedFrom } from './certificate.js';
import type { IssuedCertificate } from './certificate-queue.js';
import { AttemptFailure } from './failures.js';
import { renewalTime } from './renewal-due.js';
import type { SealingKeys } from './sealing-keys.js';

/** Delay from the issue of a certificate to the first request for its renewal window. */
const FIRST_RENEWAL_CHECK_SECONDS = 60;

/** Returns a private key as PEM (PKCS #8). */
export function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * Returns the stored form of an issued certificate.
 *
 * @param chain PEM, as the authority gave it
 * @throws {AttemptFailure} when it cannot serve the host
 */
export function issuedFrom(
  { keys, logger }: { readonly keys: SealingKeys; readonly logger: Logger },
  host: string,
  chain: string,
  privateKey: KeyObject,
  dns: DnsRecords,
): IssuedCertificate {
  const material = { certificate: chain, privateKey: pemOf(privateKey) };
  // The clock of this machine may be wrong. Another order would give the same dates.
  const checked = checkCertificate(material, undefined);
  const problem =
    'problem' in checked
      ? checked.problem.message
      : namesCover(checked.facts.names, host)
        ? undefined
        : `it does not name ${host}`;
  if ('problem' in checked || problem !== undefined) {
    throw new AttemptFailure('CA_REFUSED', `The certificate that was issued cannot be used: ${problem}`);
  }
  const { facts } = checked;
  if (facts.notBefore > Date.now() || facts.notAfter < Date.now()) {
    logger.error(
      { host, ...facts },
      'a new certificate is not valid now: the clock of this machine is wrong',
    );
  }
  const served = servedFrom(facts);
  return {
    ...served,
    sealed: keys.sealing.seal(facts.fingerprint, checked.material),
    keyId: keys.keyId,
    renewalId: renewalIdOf(checked.material.certificate),
    renewAt: renewalTime(served, undefined, Math.random()),
    dns,
    delaySeconds: FIRST_RENEWAL_CHECK_SECONDS,
  };
}
