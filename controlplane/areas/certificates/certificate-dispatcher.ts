import type { AreaParts } from '../../area.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { Authorities } from './authorities.js';
import { authorityRepository } from './authority-repository.js';
import type { AttemptCertificate } from './certificate-attempt.js';
import { type ClaimedCertificate, certificateQueue, type Lane } from './certificate-queue.js';

const POLL_INTERVAL_MS = 2_000;
/** Maximum number of concurrent hosts. */
const MAX_IN_FLIGHT = 24;
/** Maximum number of concurrent hosts of one user. Slow hosts of one user must not delay others. */
const MAX_PER_USER = 12;
/** Lease after which another process continues the work of a dead one. */
const LEASE_SECONDS = 60;
/** Data planes ask for the answer to challenges every few seconds. Orders wait until all of them have it. */
const KNOWN_FOR_SECONDS = 10;
/** Time without a request of a data plane before the log reports it. */
const UNKNOWN_REPORT_MS = 60_000;
const STOP_GRACE_MS = 2_000;

export interface CertificateDispatcherDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly authorities: Authorities;
  readonly attempt: AttemptCertificate;
  readonly leaseSeconds?: number | undefined;
  /** Delay of orders after the first data plane can answer challenges. */
  readonly knownForSeconds?: number | undefined;
}

/** Processes due hosts, several at the same time. The users take turns. Control planes share the work. */
export interface CertificateDispatcher extends BackgroundWork {
  /** Looks for due hosts immediately. */
  wake(): void;
}

export function createCertificateDispatcher(deps: CertificateDispatcherDeps): CertificateDispatcher {
  const { database, authorities, attempt, logger, leaseSeconds = LEASE_SECONDS } = deps;
  const { knownForSeconds = KNOWN_FOR_SECONDS } = deps;
  const stopping = new AbortController();
  const inFlight = new Map<string, { readonly userId: string; readonly ended: Promise<void> }>();
  const lastUserIds: Record<Lane, string> = { check: '', order: '' };
  let canAnswer = false;
  let startedMs = Number.POSITIVE_INFINITY;

  /** Returns whether data planes answer challenges, without which every order fails. */
  async function areChallengesAnswered(): Promise<boolean> {
    canAnswer ||= await authorityRepository.isKeyKnown(database, knownForSeconds);
    if (!canAnswer && performance.now() - startedMs > UNKNOWN_REPORT_MS) {
      startedMs = Number.POSITIVE_INFINITY;
      logger.warn(
        'no certificates are ordered: no data plane asks how to answer challenges. Set TLS_PORT, and the same SECRET_KEY, for a data plane.',
      );
    }
    return canAnswer;
  }

  function busyUsers(): string[] {
    const counts = new Map<string, number>();
    for (const { userId } of inFlight.values()) counts.set(userId, (counts.get(userId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_PER_USER).map(([userId]) => userId);
  }

  /** Takes due hosts of a lane. Users take turns: the next round starts after the last user of this round. */
  async function take(lane: Lane): Promise<number> {
    const limit = MAX_IN_FLIGHT - inFlight.size;
    if (limit <= 0) return 0;
    const takeAfter = (afterUserId: string) =>
      certificateQueue.claim(database, {
        ...{ lane, limit: Math.min(limit, MAX_PER_USER), leaseSeconds, afterUserId },
        claim: newId(),
        exceptUsers: busyUsers(),
      });
    const taken = await takeAfter(lastUserIds[lane]);
    const due = taken.length === 0 && lastUserIds[lane] !== '' ? await takeAfter('') : taken;
    lastUserIds[lane] = due.reduce((last, { userId }) => (userId > last ? userId : last), '');
    for (const one of due) begin(one);
    return due.length;
  }

  function begin(one: ClaimedCertificate): void {
    const lease = setInterval(
      () => {
        certificateQueue.extendLease(database, one, leaseSeconds).catch((error: unknown) => {
          logger.debug({ err: error, host: one.host }, 'the lease of a certificate order was not extended');
        });
      },
      (leaseSeconds * 1_000) / 3,
    );
    const ended = attempt(one, stopping.signal).finally(() => {
      clearInterval(lease);
      inFlight.delete(one.claim + one.host);
      void work.wake();
    });
    inFlight.set(one.claim + one.host, { userId: one.userId, ended });
  }

  /** Resolves to whether there was a due host. */
  async function takeSome(): Promise<boolean> {
    if (!(await areChallengesAnswered())) return false;
    const ordered = (await authorities.secondsToToken()) === 0 ? await take('order') : 0;
    return ordered + (await take('check')) > 0;
  }

  const work = createBackgroundWork({
    intervalMs: POLL_INTERVAL_MS,
    async runRound() {
      let mayBeMore = true;
      while (mayBeMore && !work.isStopping()) mayBeMore = await takeSome();
    },
    logger,
    failure: 'due certificates could not be read; trying again shortly',
    beginsAtOnce: true,
  });

  return {
    wake: work.wake,
    start() {
      startedMs = performance.now();
      work.start();
    },
    async stop() {
      stopping.abort(new Error('the control plane is stopping'));
      await work.stop();
      const grace = new Promise((resolve) => setTimeout(resolve, STOP_GRACE_MS).unref());
      await Promise.race([Promise.all(Array.from(inFlight.values(), ({ ended }) => ended)), grace]);
    },
  };
}
