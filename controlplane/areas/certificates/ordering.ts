import type { Logger } from 'pino';
import type { AcmeConfig, PublicTarget } from '../../../shared/config/acme-config.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { createAcmeHttp } from './acme/acme-http.js';
import { readCaFile } from './acme/check-authorities.js';
import { loadAccountKey } from './acme-accounts.js';
import { type Authorities, createAuthorities } from './authorities.js';
import type { AuthorityLimits } from './authority-limits.js';
import { authorityRepository } from './authority-repository.js';
import { createCertificateAttempt } from './certificate-attempt.js';
import { createCertificateDispatcher } from './certificate-dispatcher.js';
import type { CertificatesMetrics } from './certificates-metrics.js';
import type { DirectoryView } from './directory-view.js';
import type { DnsChallenges } from './dns01/dns-challenges.js';
import { createEnrolment } from './enrolment.js';
import { createFirstSight } from './first-sight.js';
import { createKeyCipher } from './key-cipher.js';
import { limitRepository } from './limit-repository.js';
import type { SealingKeys } from './sealing-keys.js';
import { setAsideRepository } from './set-aside-repository.js';

/** Days for which orders are kept. The longest period of a limit is 7 days. */
const ORDER_LOG_DAYS = 8;
const TIDY_INTERVAL_MS = 3_600_000;

/** The parts that obtain certificates. */
export interface Ordering extends BackgroundWork {
  readonly authorities: Authorities;
  readonly thumbprint: string;
  /** Notes that a data plane learns the thumbprint now. */
  noteKnown(): Promise<void>;
  wake(): void;
  /** Takes names of handshakes that a wildcard redirect serves and that have no certificate. */
  report(names: readonly string[]): void;
}

/** Settings of the parts that obtain certificates. */
export interface OrderingSettings {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  /** The installation's; keys are encrypted under keys derived from it. */
  readonly secret: Buffer;
  /** Secrets that it replaces. Certificates and keys that they encrypted are encrypted again. Default: none. */
  readonly previousSecrets?: readonly Buffer[];
  readonly target: PublicTarget;
  /** `IP:port` of name servers to ask instead of the system's. */
  readonly dnsServers?: readonly string[] | undefined;
  readonly logger: Logger;
  /** Default: those of the authority. */
  readonly limits?: AuthorityLimits;
  /** Lease after which another process continues the work of a dead one. */
  readonly leaseSeconds?: number;
  /** Time limit of an attempt. */
  readonly timeLimitMs?: number;
  /** Delay of orders after the first data plane can answer challenges. */
  readonly knownForSeconds?: number;
}

export interface OrderingDeps extends OrderingSettings {
  readonly acme: AcmeConfig;
  readonly keys: SealingKeys;
  readonly metrics: CertificatesMetrics;
  /** Seconds until certificates of an unknown key are ordered anew. */
  readonly graceSeconds: () => number;
  readonly directory: DirectoryView;
  readonly dnsChallenges: DnsChallenges | undefined;
}

export async function createOrdering(deps: OrderingDeps): Promise<Ordering> {
  const { database, outbox, logger, acme, secret } = deps;
  const cipher = createKeyCipher({ current: secret, previous: deps.previousSecrets ?? [] });
  const accountKey = await loadAccountKey({ database, cipher, logger });
  const http = createAcmeHttp(await readCaFile(acme.caFile));
  const authorities = createAuthorities({ ...deps, config: acme, http, accountKey });
  for (const { directoryUrl, limits } of authorities.all) {
    await authorityRepository.addAuthority(database, directoryUrl, limits);
  }
  const attempt = createCertificateAttempt({ ...deps, authorities, cipher });
  const dispatcher = createCertificateDispatcher({ ...deps, authorities, attempt });
  const enrolment = createEnrolment({
    database,
    logger,
    wildcards: deps.dnsChallenges !== undefined,
    onEnrolled: () => dispatcher.wake(),
  });
  const firstSight = createFirstSight({
    ...deps,
    // A certificate for the wildcard covers the same names.
    namesPerWildcard: deps.dnsChallenges === undefined ? acme.namesPerWildcard : 0,
    onEnrolled: () => dispatcher.wake(),
  });
  outbox.onCommitted(async () => enrolment.wake());
  const tidying = createBackgroundWork({
    intervalMs: TIDY_INTERVAL_MS,
    runRound: tidy,
    logger,
    failure: 'the log of certificate orders was not tidied',
    beginsAtOnce: true,
  });
  let isKnown = false;

  async function tidy(): Promise<void> {
    await setAsideRepository.deleteExpired(database);
    while (!tidying.isStopping() && (await authorityRepository.deleteOldOrders(database, ORDER_LOG_DAYS)));
    while (!tidying.isStopping() && (await limitRepository.deleteFull(database)));
  }

  return {
    authorities,
    thumbprint: accountKey.thumbprint,
    async noteKnown() {
      if (!isKnown) await authorityRepository.noteKeyKnown(database);
      isKnown = true;
    },
    wake: () => dispatcher.wake(),
    report: firstSight.report,
    start() {
      tidying.start();
      enrolment.start();
      dispatcher.start();
      firstSight.start();
    },
    async stop() {
      await Promise.all([tidying.stop(), enrolment.stop(), firstSight.stop(), dispatcher.stop()]);
      http.close();
    },
  };
}
