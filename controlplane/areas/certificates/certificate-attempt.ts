import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { checkCertificate, namesCover } from '../../../shared/certificates/certificate-material.js';
import type { CertificateSealing } from '../../../shared/certificates/certificate-sealing.js';
import type { PublicTarget } from '../../../shared/config/acme-config.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { readRenewalWindow, renewalIdOf } from './acme/renewal-info.js';
import type { Authorities } from './authorities.js';
import type { DnsRecords } from './certificate.js';
import { type ClaimedCertificate, certificateQueue } from './certificate-queue.js';
import { type CertificateState, nextState } from './certificate-states.js';
import type { CertificatesMetrics } from './certificates-metrics.js';
import { checkDns } from './dns-check.js';
import { createDnsLookup } from './dns-lookup.js';
import { AttemptFailure } from './failures.js';
import type { KeyCipher } from './key-cipher.js';
import { NoToken, TooManyOrders } from './order-log.js';
import { fitsWindow, renewalTime } from './renewal-time.js';
import type { SealingKeys } from './sealing-keys.js';
import { createSettling } from './settling.js';

const DEFAULT_TIME_LIMIT_MS = 120_000;
/** The authority is asked for its renewal window soon after it issued. */
const FIRST_RENEWAL_CHECK_SECONDS = 60;
const MAX_RENEWAL_CHECK_SECONDS = 24 * 3_600;

export interface CertificateAttemptDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly authorities: Authorities;
  readonly keys: SealingKeys;
  /** Seconds until certificates of an unknown key are ordered anew. */
  readonly graceSeconds: () => number;
  readonly cipher: KeyCipher;
  readonly dnsServers?: readonly string[] | undefined;
  readonly target: PublicTarget;
  readonly metrics: CertificatesMetrics;
  readonly logger: Logger;
  /** Time limit of an attempt. Default: two minutes. */
  readonly timeLimitMs?: number | undefined;
}

/** Another process works on the host: this one was too slow to keep its lease. */
class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/**
 * Brings a claimed host one step further: checks its DNS, orders, or looks whether to renew. Never rejects: what cannot
 * be written is repeated when the lease ends.
 *
 * @param signal the process stops. The host is given back, and its order is kept.
 */
export type AttemptCertificate = (one: ClaimedCertificate, signal: AbortSignal) => Promise<void>;

export function createCertificateAttempt(deps: CertificateAttemptDeps): AttemptCertificate {
  const { database, authorities, keys, logger, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = deps;
  const settling = createSettling(deps);

  async function attempt(one: ClaimedCertificate, signal: AbortSignal): Promise<void> {
    if (!(await certificateQueue.isWanted(database, one))) return settling.stop(one);
    const isReadable = one.served !== undefined && canOpen(keys.sealing, one);
    const graceSeconds = isReadable ? 0 : graceOf(deps, one);
    if (graceSeconds > 0) return certificateQueue.postpone(database, one, graceSeconds);
    const renewal = isReadable ? await renewalOf(deps, one, signal) : { isDue: true, isExempt: false };
    if (!renewal.isDue) return;
    const event = one.served === undefined || isReadable ? 'renewalDue' : 'keyLost';
    const begun = nextState(one.state, event);
    const lookup = createDnsLookup(deps.dnsServers);
    const { records, failure } = await checkDns(lookup, one.host, deps.target);
    if (failure !== undefined) return settling.fail(one, begun, failure, records);
    const state = nextState(begun, 'checked');
    await certificateQueue.noteState(database, one, state, records);
    const pendingKey = pendingKeyOf(deps, one);
    const privateKey = pendingKey ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const encryptedKey = deps.cipher.encrypt(pemOf(privateKey), one.host);
    try {
      const chain = await authorities.issue({
        host: one.host,
        lookup,
        privateKey,
        // The authority may have issued for its key already, so an order is never continued with another one.
        pendingOrder: pendingKey && one.pendingOrder,
        replaces: isReadable ? one.renewalId : undefined,
        isExempt: renewal.isExempt,
        async beforeOrder() {
          if (!(await certificateQueue.isClaimed(database, one))) throw new ClaimLost();
        },
        onOrdered: (order) => certificateQueue.keepOrder(database, one, order, encryptedKey),
        signal,
      });
      await settling.issue(one, issuedFrom(deps, one.host, chain, privateKey, records));
    } catch (error) {
      if (error instanceof ClaimLost) return;
      if (error instanceof TooManyOrders) return settling.wait(one, state, error.seconds);
      // The lane of orders is entered only when there is a token, so these hosts are due at once.
      if (error instanceof NoToken)
        return settling.wait(one, state, state === 'ordering' ? 0 : error.seconds);
      if (!(error instanceof AttemptFailure)) throw error;
      await settling.fail(one, state, error, records);
    }
  }

  return async (one, stopping) => {
    const limit = AbortSignal.timeout(timeLimitMs);
    try {
      await attempt(one, AbortSignal.any([stopping, limit]));
    } catch (error) {
      await afterFault(one, stopping, limit, error).catch((fault: unknown) => {
        logger.warn({ err: fault, host: one.host }, 'the outcome of a certificate order could not be stored');
      });
    }
  };

  async function afterFault(
    one: ClaimedCertificate,
    stopping: AbortSignal,
    limit: AbortSignal,
    error: unknown,
  ): Promise<void> {
    if (stopping.aborted) return certificateQueue.release(database, one);
    const state: CertificateState = one.served === undefined ? 'ordering' : 'renewing';
    if (limit.aborted) {
      const message = `The certificate authority did not finish within ${timeLimitMs / 1_000} s.`;
      return settling.fail(one, state, new AttemptFailure('CA_UNAVAILABLE', message), undefined);
    }
    logger.error({ err: error, host: one.host }, 'a certificate could not be ordered');
    const message = 'The order failed inside this service. It is tried again.';
    return settling.fail(one, state, new AttemptFailure('INTERNAL_ERROR', message), undefined);
  }
}

function canOpen(sealing: CertificateSealing, { served, sealed }: ClaimedCertificate): boolean {
  if (served === undefined || sealed === undefined) return false;
  try {
    sealing.open(served.fingerprint, sealed);
    return true;
  } catch {
    return false;
  }
}

/** Asks the authorities when to renew, and postpones the renewal if it is not due yet. */
async function renewalOf(
  { database, authorities, logger }: CertificateAttemptDeps,
  one: ClaimedCertificate,
  signal: AbortSignal,
): Promise<{ readonly isDue: boolean; readonly isExempt: boolean }> {
  const { served, renewalId } = one;
  if (served === undefined) return { isDue: true, isExempt: false };
  // Only Let's Encrypt has limits of which we know, and it has renewal information.
  if (one.state === 'renewing') return { isDue: true, isExempt: renewalId !== undefined };
  // The authority that issued it knows it. Others answer that they do not.
  for (const { client } of renewalId === undefined ? [] : authorities.all) {
    const window = await readRenewalWindow(client, renewalId ?? '', signal).catch((error: unknown) => {
      logger.debug({ err: error, host: one.host }, 'renewal information cannot be read');
      return undefined;
    });
    if (window === undefined) continue;
    const renewAt = fitsWindow(one.renewAt, window)
      ? one.renewAt
      : renewalTime(served, window, Math.random());
    const untilRenewal = (renewAt.getTime() - client.nowMs()) / 1_000;
    if (untilRenewal <= 0) return { isDue: true, isExempt: true };
    const delaySeconds = Math.max(1, Math.min(window.pollSeconds, untilRenewal));
    await certificateQueue.postponeRenewal(database, one, renewAt, delaySeconds);
    return { isDue: false, isExempt: true };
  }
  const renewAt = one.renewAt ?? renewalTime(served, undefined, Math.random());
  // A wrong clock of this machine must not renew without end.
  const nowMs = authorities.all[0]?.client.nowMs() ?? Date.now();
  const untilRenewal = (renewAt.getTime() - nowMs) / 1_000;
  if (untilRenewal <= 0) return { isDue: true, isExempt: false };
  await certificateQueue.postponeRenewal(
    database,
    one,
    renewAt,
    Math.min(untilRenewal + 1, MAX_RENEWAL_CHECK_SECONDS),
  );
  return { isDue: false, isExempt: false };
}

/** Returns the key of the order under way, if it can be decrypted. */
function pendingKeyOf(
  { cipher }: CertificateAttemptDeps,
  { host, pendingKey, pendingOrder }: ClaimedCertificate,
): KeyObject | undefined {
  const pem = pendingOrder && pendingKey && cipher.tryDecrypt(pendingKey, host);
  return pem === undefined ? undefined : createPrivateKey(pem);
}

/** Returns the seconds for which a certificate of an unknown key stays as it is. */
function graceOf(
  { keys, graceSeconds }: CertificateAttemptDeps,
  { served, keyId }: ClaimedCertificate,
): number {
  const isForeign = keyId !== undefined && !keys.knownKeyIds.includes(keyId);
  return isForeign && served !== undefined && served.notAfter.getTime() > Date.now() ? graceSeconds() : 0;
}

function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** @throws {AttemptFailure} when the authority gave a certificate that cannot serve the host */
function issuedFrom(
  { keys, logger }: CertificateAttemptDeps,
  host: string,
  chain: string,
  privateKey: KeyObject,
  dns: DnsRecords,
) {
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
  const dates = { notBefore: new Date(facts.notBefore), notAfter: new Date(facts.notAfter) };
  const renewAt = renewalTime(dates, undefined, Math.random());
  return {
    ...{ fingerprint: facts.fingerprint, issuer: facts.issuer, names: facts.names, ...dates },
    ...{
      sealed: keys.sealing.seal(facts.fingerprint, checked.material),
      keyId: keys.keyId,
      renewalId: renewalIdOf(chain),
      renewAt,
      dns,
    },
    delaySeconds: FIRST_RENEWAL_CHECK_SECONDS,
  };
}
