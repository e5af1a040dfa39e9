import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { CertificateSealing } from '../../../shared/certificates/certificate-sealing.js';
import type { PublicTarget } from '../../../shared/config/acme-config.js';
import type { AreaParts } from '../../area.js';
import { DatabaseUnavailableError } from '../../storage/postgres/database-unavailable.js';
import type { Authorities } from './authorities.js';
import { type ClaimedCertificate, certificateQueue, type PendingOrder } from './certificate-queue.js';
import { type CertificateState, nextState } from './certificate-states.js';
import type { CertificatesMetrics } from './certificates-metrics.js';
import type { DirectoryView } from './directory-view.js';
import { checkDns } from './dns-check.js';
import { createDnsLookup, type DnsLookup } from './dns-lookup.js';
import type { DnsChallenges } from './dns01/dns-challenges.js';
import { AttemptFailure } from './failures.js';
import { issuedFrom, pemOf } from './issued-certificate.js';
import type { KeyCipher } from './key-cipher.js';
import { LimitReached, NoToken, TooManyOrders } from './order-log.js';
import { renewalOf } from './renewal-due.js';
import type { SealingKeys } from './sealing-keys.js';
import { createSettling } from './settling.js';

const DEFAULT_TIME_LIMIT_MS = 120_000;
/** Time after which a host with a certificate in TLS_CERTIFICATES_DIR is looked at again. */
const IN_DIRECTORY_SECONDS = 3_600;
/** Time after which an order is continued that the database interrupted. */
const DATABASE_AWAY_SECONDS = 5;

export interface CertificateAttemptDeps extends Pick<AreaParts, 'database' | 'outbox' | 'logger'> {
  readonly authorities: Authorities;
  readonly keys: SealingKeys;
  /** Seconds until certificates of an unknown key are ordered again. */
  readonly graceSeconds: () => number;
  /**
   * Certificates of TLS_CERTIFICATES_DIR. Visitors get them instead of ordered ones, so no certificates are ordered for
   * their hosts.
   */
  readonly directory: DirectoryView;
  readonly cipher: KeyCipher;
  readonly dnsServers?: readonly string[] | undefined;
  readonly target: PublicTarget;
  /** Answers challenges for wildcards. Undefined: they get no certificates. */
  readonly dnsChallenges: DnsChallenges | undefined;
  readonly metrics: CertificatesMetrics;
  /** Time limit of an attempt. Default: two minutes. */
  readonly timeLimitMs?: number | undefined;
}

/** Another process works on the host: this one was too slow to keep its lease. */
class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/**
 * Brings a claimed host one step further: checks its DNS, places an order, or checks whether to renew. Never rejects:
 * if an outcome cannot be stored, the attempt is repeated when the lease ends.
 *
 * @param signal the process stops. The host is given back, and its order is kept.
 */
export type AttemptCertificate = (one: ClaimedCertificate, signal: AbortSignal) => Promise<void>;

export function createCertificateAttempt(deps: CertificateAttemptDeps): AttemptCertificate {
  const { database, authorities, keys, logger, dnsChallenges, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = deps;
  const settling = createSettling(deps);

  const isWildcard = ({ host }: ClaimedCertificate) => host.startsWith('*.');

  /** Checks that an authority can validate the host. */
  async function check(lookup: DnsLookup, one: ClaimedCertificate) {
    if (dnsChallenges !== undefined && isWildcard(one)) return dnsChallenges.check(lookup, one.host);
    return { ...(await checkDns(lookup, one.host, deps.target)), place: undefined };
  }

  async function attempt(one: ClaimedCertificate, signal: AbortSignal): Promise<void> {
    // A process that was killed may have left it.
    if (one.pendingOrder?.record !== undefined) await dnsChallenges?.remove(one.pendingOrder.record);
    if (isWildcard(one) && dnsChallenges === undefined) return settling.stop(one);
    if (!(await certificateQueue.isWanted(database, one))) return settling.stop(one);
    if (deps.directory.find(one.host, one.userId) !== undefined) {
      return certificateQueue.postpone(database, one, IN_DIRECTORY_SECONDS);
    }
    const isReadable = one.served !== undefined && canOpen(keys.sealing, one);
    const graceSeconds = isReadable ? 0 : graceOf(deps, one);
    if (graceSeconds > 0) return certificateQueue.postpone(database, one, graceSeconds);
    const renewal = isReadable ? await renewalOf(deps, one, signal) : { isDue: true, isExempt: false };
    if (!renewal.isDue) return;
    const event = one.served === undefined || isReadable ? 'renewalDue' : 'keyLost';
    const begun = nextState(one.state, event);
    const lookup = createDnsLookup(deps.dnsServers);
    const { records, failure, place } = await check(lookup, one);
    if (failure !== undefined) return settling.fail(one, begun, failure, records);
    const state = nextState(begun, 'checked');
    await certificateQueue.noteState(database, one, state, records);
    const pendingKey = pendingKeyOf(deps, one);
    const privateKey = pendingKey ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const encryptedKey = deps.cipher.encrypt(pemOf(privateKey), one.host);
    let order = pendingKey ? one.pendingOrder : null;
    const keepOrder = (next: PendingOrder) => {
      order = next;
      return certificateQueue.keepOrder(database, one, next, encryptedKey);
    };
    try {
      const chain = await authorities.issue({
        host: one.host,
        lookup,
        privateKey,
        // The authority may have issued for its key already, so an order is never continued with another one.
        pendingOrder: order,
        replaces: (isReadable && one.renewalId) || undefined,
        isExempt: renewal.isExempt,
        publishText:
          place &&
          (async (value) => {
            const record = { ...place, value };
            await keepOrder({ directory: '', url: null, ...order, record });
            const remove = async () => dnsChallenges?.remove(record);
            await dnsChallenges
              ?.publish(record, signal)
              .catch((error: unknown) => remove().then(() => Promise.reject(error)));
            return remove;
          }),
        async onOrder(next) {
          const isKept = await keepOrder(next);
          if (!isKept && next.url === null) throw new ClaimLost();
        },
        async onNoOrder() {
          order = null;
          await certificateQueue.keepOrder(database, one, null, null);
        },
        signal,
      });
      await settling.issue(one, issuedFrom(deps, one.host, chain, privateKey, records));
    } catch (error) {
      if (error instanceof ClaimLost) return;
      if (error instanceof TooManyOrders) return settling.wait(one, state, error.seconds);
      // The order lane starts work only when a token is free, so these hosts can be due immediately.
      if (error instanceof NoToken)
        return settling.wait(one, state, state === 'ordering' ? 0 : error.seconds);
      if (error instanceof LimitReached) return settling.waitForLimit(one, state, error);
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
    if (stopping.aborted) return certificateQueue.postpone(database, one, 0);
    if (error instanceof DatabaseUnavailableError) {
      logger.warn({ err: error, host: one.host }, 'the database was away during a certificate order');
      return certificateQueue.postpone(database, one, DATABASE_AWAY_SECONDS);
    }
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
  if (served === undefined || sealed === null) return false;
  try {
    sealing.open(served.fingerprint, sealed);
    return true;
  } catch {
    return false;
  }
}

/** Returns the key of the running order, if it can be decrypted. */
function pendingKeyOf(
  { cipher }: CertificateAttemptDeps,
  { host, pendingKey, pendingOrder }: ClaimedCertificate,
): KeyObject | undefined {
  const pem = pendingOrder && pendingKey && cipher.tryDecrypt(pendingKey, host);
  return pem ? createPrivateKey(pem) : undefined;
}

/** Returns the seconds to wait before a certificate whose key is unknown is replaced. */
function graceOf(
  { keys, graceSeconds }: CertificateAttemptDeps,
  { served, keyId }: ClaimedCertificate,
): number {
  const isForeign = keyId !== null && !keys.knownKeyIds.includes(keyId);
  return isForeign && served !== undefined && served.notAfter.getTime() > Date.now() ? graceSeconds() : 0;
}
