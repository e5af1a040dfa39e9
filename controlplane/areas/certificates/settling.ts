import type { AreaParts } from '../../area.js';
import { emit } from '../webhooks/public.js';
import { type DnsRecords, redirectHostOf } from './certificate.js';
import { type ClaimedCertificate, certificateQueue, type IssuedCertificate } from './certificate-queue.js';
import { type CertificateState, nextState } from './certificate-states.js';
import type { CertificatesMetrics } from './certificates-metrics.js';
import { type AttemptFailure, retryDelaySeconds } from './failures.js';
import { limitRepository } from './limit-repository.js';
import type { LimitReached } from './order-log.js';
import type { SealingKeys } from './sealing-keys.js';
import { setAsideRepository } from './set-aside-repository.js';

export interface SettlingDeps extends Pick<AreaParts, 'database' | 'outbox' | 'logger'> {
  readonly metrics: CertificatesMetrics;
  /** Names of the keys that certificates can be decrypted with. */
  readonly keys: Pick<SealingKeys, 'knownKeyIds'>;
}

/** Stores the outcomes of attempts and notifies the owner. An outcome counts only while the claim holds. */
export interface Settling {
  /** Ends the work: the host has no redirect any more, or an uploaded certificate. */
  stop(one: ClaimedCertificate): Promise<void>;
  issue(one: ClaimedCertificate, issued: IssuedCertificate): Promise<void>;
  /** @param state at the time of the failure */
  fail(
    one: ClaimedCertificate,
    state: CertificateState,
    failure: AttemptFailure,
    dns: DnsRecords | undefined,
  ): Promise<void>;
  /** Delays the order: limits allow none now. */
  wait(one: ClaimedCertificate, state: CertificateState, delaySeconds: number): Promise<void>;
  /** Delays the order until the limit allows it, after the other hosts that wait for the same one. */
  waitForLimit(one: ClaimedCertificate, state: CertificateState, limit: LimitReached): Promise<void>;
}

export function createSettling({ database, outbox, metrics, keys, logger }: SettlingDeps): Settling {
  return {
    async stop(one) {
      const { state, failures } = one;
      await database.transaction(async (tx) => {
        await limitRepository.leave(tx, one.host, one.claim);
        await certificateQueue.settle(tx, one, {
          ...{ state, failures, dns: undefined },
          ...{ lastError: one.lastError, delaySeconds: null },
        });
      });
    },

    async issue(one, issued) {
      const isSettled = await outbox.commit(async (tx, record) => {
        await setAsideRepository.setAside(tx, one, keys.knownKeyIds);
        // An exempt renewal took no token.
        await limitRepository.leave(tx, one.host, one.claim);
        if (!(await certificateQueue.settleIssued(tx, one, issued))) return false;
        record(redirectHostOf(one));
        const { fingerprint, issuer, notBefore, notAfter } = issued;
        await emit(tx, one.userId, 'certificate.issued', {
          ...{ host: one.host, fingerprint, issuer, notBefore, notAfter },
          isRenewal: one.served !== undefined,
        });
        return true;
      });
      if (!isSettled) return;
      metrics.ordered('issued');
      logger.info({ host: one.host, notAfter: issued.notAfter }, 'certificate issued');
    },

    async fail(one, stateBefore, failure, dns) {
      const { code, message } = failure;
      const isDns = code === 'DNS_NOT_POINTED' || code === 'DNS_UNAVAILABLE';
      const state = nextState(stateBefore, isDns ? 'dnsWrong' : 'refused');
      // Another kind of failure begins another row of delays.
      const failures = one.lastError?.code === code ? one.failures + 1 : 1;
      const delaySeconds = retryDelaySeconds(failure, failures, Math.random());
      const lastError = { code, message: message.replace('<host>', one.host), at: new Date().toISOString() };
      const isSettled = await database.transaction(async (tx) => {
        // An authority that is away is asked again soon, so the host keeps its token.
        if (code !== 'CA_UNAVAILABLE') await limitRepository.leave(tx, one.host, one.claim);
        if (!(await certificateQueue.settle(tx, one, { state, lastError, failures, dns, delaySeconds }))) {
          return false;
        }
        // Domains that do not point here yet are no failures. Those that did once are.
        const isNews = failures === 1 && (!isDns || one.served !== undefined);
        if (isNews) {
          const { host, served } = one;
          const notAfter = served?.notAfter ?? null;
          await emit(tx, one.userId, 'certificate.failed', { host, state, error: lastError, notAfter });
        }
        return true;
      });
      if (!isSettled) return;
      metrics.ordered(code);
      logger.info({ host: one.host, code, detail: message }, 'no certificate');
    },

    async wait(one, state, delaySeconds) {
      await certificateQueue.settle(database, one, {
        ...{ state, failures: one.failures, dns: undefined, lastError: one.lastError, delaySeconds },
      });
    },

    async waitForLimit(one, state, limit) {
      const { subject } = limit;
      const own = limit.after(await limitRepository.countWaiting(database, subject, one.host));
      const { code, message } = own;
      await certificateQueue.settle(database, one, {
        ...{ state, failures: one.failures, dns: undefined, limitedBy: subject },
        lastError: { code, message, at: new Date().toISOString() },
        delaySeconds: own.seconds,
      });
      metrics.ordered(code);
    },
  };
}
