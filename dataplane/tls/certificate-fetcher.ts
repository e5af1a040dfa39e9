import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  type Challenges,
  MAX_REQUESTED_CERTIFICATES,
} from '../../shared/certificates/certificate-exchange.js';
import { messageOf } from '../../shared/process/error-facts.js';
import type { CertificateCache } from './certificate-cache.js';
import type { CertificateSource } from './certificate-source.js';
import type { CurrentChallenges } from './challenges.js';
import type { NameReports } from './name-reports.js';

/** Interval of requests for challenges. Data planes must know a new account before a certificate authority asks. */
const POLL_INTERVAL_MS = 5_000;
const MAX_RETRY_DELAY_MS = 60_000;
/** Maximum number of fingerprints that wait. Further ones are requested at the next handshake or scan. */
const MAX_WAITING = 10_000;
/** A certificate that the control plane does not have is not requested again by handshakes for this time. */
const ABSENT_FOR_MS = 30_000;

/**
 * Requests certificates and challenges from the control plane in the background, and saves them. The requests carry names that need
 * a certificate.
 */
export interface CertificateFetcher {
  /** Requests a certificate soon, before those that are only prefetched. */
  fetch(fingerprint: string): void;
  /** Resolves when there is room for more, or after `stop`. */
  prefetch(fingerprint: string): Promise<void>;
  readonly stats: FetchStats;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Counts since the start of the process. */
export interface FetchStats {
  fetched: number;
  failedRequests: number;
}

export interface CertificateFetcherDeps {
  readonly source: CertificateSource;
  readonly cache: CertificateCache;
  readonly challenges: CurrentChallenges;
  /** Names that the control plane learns with the next request. */
  readonly reports: Pick<NameReports, 'next' | 'sent'>;
  /** Called when a certificate was saved. */
  readonly onSaved: (fingerprint: string) => void;
  readonly logger: Logger;
  /** Default: 5 s. */
  readonly pollIntervalMs?: number;
}

export function createCertificateFetcher(deps: CertificateFetcherDeps): CertificateFetcher {
  const { source, cache, challenges, reports, onSaved, logger, pollIntervalMs = POLL_INTERVAL_MS } = deps;
  const urgent = new Set<string>();
  const prefetched = new Set<string>();
  /** Urgent fingerprints that the control plane did not have, with the time from which they may be requested again. */
  const absentUntilMs = new Map<string, number>();
  const stats: FetchStats = { fetched: 0, failedRequests: 0 };
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let wake = () => {};
  let makeRoom = () => {};
  let knownChallenges = '';

  async function run(): Promise<void> {
    let retryDelayMs = pollIntervalMs;
    while (!stopping.signal.aborted) {
      try {
        await round();
        retryDelayMs = pollIntervalMs;
      } catch (error) {
        if (stopping.signal.aborted) return;
        stats.failedRequests += 1;
        // Workers start before the control plane, so the first failure is expected.
        const level = stats.failedRequests === 1 ? 'debug' : 'warn';
        logger[level]({ problem: messageOf(error) }, 'certificates cannot be read from the control plane');
        await unlessStopped(retryDelayMs);
        retryDelayMs = Math.min(2 * retryDelayMs, MAX_RETRY_DELAY_MS);
        continue;
      }
      const isIdle = urgent.size + prefetched.size === 0 && !stopping.signal.aborted;
      if (isIdle) await pause(pollIntervalMs);
    }
  }

  async function round(): Promise<void> {
    const wanted = [...take(urgent, MAX_REQUESTED_CERTIFICATES)];
    wanted.push(...take(prefetched, MAX_REQUESTED_CERTIFICATES - wanted.length));
    const names = reports.next();
    const body = { fingerprints: wanted, ...(names.length > 0 && { names }) };
    const answer = await source.request(body, stopping.signal);
    reports.sent(names);
    const got = new Set<string>();
    for (const certificate of answer.certificates) {
      if (await save(certificate)) got.add(certificate.fingerprint);
    }
    for (const fingerprint of wanted) {
      prefetched.delete(fingerprint);
      // Handshakes repeat their requests, scans do not.
      if (urgent.delete(fingerprint) && !got.has(fingerprint)) noteAbsent(fingerprint);
    }
    if (prefetched.size < MAX_WAITING) makeRoom();
    await useChallenges(answer);
  }

  async function save(certificate: Parameters<CertificateCache['save']>[0]): Promise<boolean> {
    try {
      await cache.save(certificate);
      stats.fetched += 1;
      onSaved(certificate.fingerprint);
      return true;
    } catch (error) {
      logger.error(
        { fingerprint: certificate.fingerprint, problem: messageOf(error) },
        'a certificate is not saved',
      );
      return false;
    }
  }

  async function useChallenges({ challengeThumbprints, challengeTokens }: Challenges): Promise<void> {
    const next: Challenges = { challengeThumbprints, ...(challengeTokens && { challengeTokens }) };
    const text = JSON.stringify(next);
    if (text === knownChallenges) return;
    knownChallenges = text;
    challenges.replace(next);
    await cache.saveChallenges(next).catch((error: unknown) => {
      logger.warn({ problem: messageOf(error) }, 'the challenges of certificate authorities are not saved');
    });
  }

  function noteAbsent(fingerprint: string): void {
    if (absentUntilMs.size >= MAX_WAITING) absentUntilMs.clear();
    absentUntilMs.set(fingerprint, performance.now() + ABSENT_FOR_MS);
  }

  /**
   * Waits, unless stopped. `wake` does not end the wait: visitors must not cause more requests to an unreachable
   * control plane.
   */
  async function unlessStopped(durationMs: number): Promise<void> {
    await delay(durationMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  function pause(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    stats,
    fetch(fingerprint) {
      const isAbsent = (absentUntilMs.get(fingerprint) ?? 0) > performance.now();
      if (isAbsent || urgent.size >= MAX_WAITING || urgent.has(fingerprint)) return;
      urgent.add(fingerprint);
      wake();
    },
    async prefetch(fingerprint) {
      while (prefetched.size >= MAX_WAITING && !stopping.signal.aborted) {
        await new Promise<void>((resolve) => {
          makeRoom = resolve;
        });
      }
      prefetched.add(fingerprint);
      if (prefetched.size === 1) wake();
    },
    async start() {
      const saved = await cache.readChallenges();
      if (saved !== undefined) challenges.replace(saved);
      running = run();
    },
    async stop() {
      stopping.abort();
      wake();
      makeRoom();
      await running;
    },
  };
}

function* take(from: ReadonlySet<string>, count: number): Generator<string> {
  let taken = 0;
  for (const one of from) {
    if (taken === count) return;
    taken += 1;
    yield one;
  }
}
