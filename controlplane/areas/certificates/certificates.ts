import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CertificatesAnswer } from '../../../shared/certificates/certificate-exchange.js';
import {
  type CertificateSealing,
  createCertificateSealing,
} from '../../../shared/certificates/certificate-sealing.js';
import type { AcmeConfig, PublicTarget } from '../../../shared/config/acme-config.js';
import { deriveInternalToken } from '../../../shared/config/internal-token.js';
import { deriveKey } from '../../../shared/config/secret-key.js';
import type { Area } from '../../area.js';
import type { BackgroundWork } from '../../jobs/background-work.js';
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
import { certificateQueue } from './certificate-queue.js';
import { certificateRepository } from './certificate-repository.js';
import { createCertificateRoutes } from './certificate-routes.js';
import { type CertificateRecord, certificateRecord } from './certificate-schema.js';
import { createCertificateService } from './certificate-service.js';
import { type CertificatesMetrics, createCertificatesMetrics } from './certificates-metrics.js';
import { createEnrolment } from './enrolment.js';
import { createExpiryNotices } from './expiry-notices.js';
import { createInternalRoutes } from './internal-routes.js';
import { createKeyCipher } from './key-cipher.js';
import { createOrderForecast } from './order-forecast.js';
import { resealCertificates } from './reseal.js';

/** Orders older than this count for no limit. */
const ORDER_LOG_DAYS = 8;

export interface CertificatesDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  /** The installation's; keys are encrypted under keys derived from it. */
  readonly secret: Buffer;
  /** Secrets that it replaces. Certificates and keys that they encrypted are encrypted again. Default: none. */
  readonly previousSecrets?: readonly Buffer[];
  /** Authorities and account. Absent: certificates are only uploaded. */
  readonly acme: AcmeConfig | undefined;
  readonly target: PublicTarget;
  /** `IP:port` of name servers to ask instead of the system's. */
  readonly dnsServers?: readonly string[] | undefined;
  readonly metrics: Registry;
  readonly logger: Logger;
  /** Default: those of the authority. */
  readonly limits?: AuthorityLimits;
  /** How long another process waits before it continues the work of one that died. */
  readonly leaseSeconds?: number;
  /** Time limit of an attempt. */
  readonly timeLimitMs?: number;
  /** How long orders wait after the first data plane learned how to answer challenges. */
  readonly knownForSeconds?: number;
}

/** Certificates: obtaining and renewing them, uploads, and their way to data planes. */
export interface Certificates extends Area {
  /** Returns the member `certificate` of redirects of these hosts. Hosts without one are left out. */
  recordsOf(hosts: readonly string[]): Promise<ReadonlyMap<string, CertificateRecord>>;
  /** Answers data planes. */
  answer(fingerprints: readonly string[]): Promise<CertificatesAnswer>;
}

/** Puts the area together. */
export async function createCertificates(deps: CertificatesDeps): Promise<Certificates> {
  const { database, outbox, secret, acme, target, logger } = deps;
  const sealing = createCertificateSealing(secret);
  const keyId = keyIdOf(secret);
  const { previousSecrets = [] } = deps;
  const old = previousSecrets.map((one) => ({ keyId: keyIdOf(one), sealing: createCertificateSealing(one) }));
  const resealed = await resealCertificates({ database, sealing, keyId, old });
  if (resealed > 0) logger.info({ count: resealed }, 'certificates are encrypted with the new SECRET_KEY');
  const metrics = createCertificatesMetrics(deps);
  const ordering =
    acme === undefined ? undefined : await createOrdering({ ...deps, acme, keyId, metrics, sealing });
  const notices = createExpiryNotices(database, logger);
  const service = createCertificateService({
    ...{ database, outbox, sealing, keyId },
    orders: ordering !== undefined,
    onDue: () => ordering?.wake(),
  });

  async function answer(fingerprints: readonly string[]): Promise<CertificatesAnswer> {
    const certificates =
      fingerprints.length === 0 ? [] : await certificateRepository.findSealed(database, fingerprints);
    if (ordering === undefined) return { certificates, challengeThumbprints: [] };
    await ordering.noteKnown();
    return { certificates, challengeThumbprints: [ordering.thumbprint] };
  }

  return {
    routes: [
      createCertificateRoutes({
        ...{ service, target },
        forecast: createOrderForecast(database, ordering?.authorities),
      }),
      createInternalRoutes({
        token: deriveInternalToken(secret),
        previousTokens: previousSecrets.map(deriveInternalToken),
        answer,
      }),
    ],
    async recordsOf(hosts) {
      const found = await service.ofHosts(hosts);
      return new Map(Array.from(found, ([host, certificate]) => [host, certificateRecord(certificate)]));
    },
    answer,
    jobs: [notices, createKeyCheck(deps, keyId), ...(ordering === undefined ? [] : [ordering])],
  };
}

interface Ordering extends BackgroundWork {
  readonly authorities: Authorities;
  readonly thumbprint: string;
  /** A data plane learns the thumbprint now. */
  noteKnown(): Promise<void>;
  wake(): void;
}

type OrderingDeps = Omit<CertificatesDeps, 'acme' | 'metrics'> & {
  readonly acme: AcmeConfig;
  readonly keyId: string;
  readonly metrics: CertificatesMetrics;
  readonly sealing: CertificateSealing;
};

/** The parts that obtain certificates. */
async function createOrdering(deps: OrderingDeps): Promise<Ordering> {
  const { database, outbox, logger, acme, keyId, secret } = deps;
  const cipher = createKeyCipher({ current: secret, previous: deps.previousSecrets ?? [] });
  const accountKey = await loadAccountKey({ database, cipher, logger });
  const http = createAcmeHttp(await readCaFile(acme.caFile));
  const authorities = createAuthorities({ ...deps, config: acme, http, accountKey });
  for (const { directoryUrl, limits } of authorities.all) {
    await authorityRepository.addAuthority(database, directoryUrl, limits);
  }
  const attempt = createCertificateAttempt({ ...deps, authorities, cipher });
  const dispatcher = createCertificateDispatcher({ ...deps, authorities, attempt });
  const enrolment = createEnrolment({ database, logger, onEnrolled: () => dispatcher.wake() });
  outbox.onCommitted(async () => enrolment.wake());
  let isKnown = false;

  async function tidy(): Promise<void> {
    await certificateQueue.makeUnreadableDue(database, keyId);
    await authorityRepository.deleteOldOrders(database, ORDER_LOG_DAYS);
  }

  return {
    authorities,
    thumbprint: accountKey.thumbprint,
    async noteKnown() {
      if (!isKnown) await authorityRepository.noteKeyKnown(database);
      isKnown = true;
    },
    wake: () => dispatcher.wake(),
    start() {
      tidy().catch((error: unknown) =>
        logger.warn({ err: error }, 'the queue of certificates was not tidied'),
      );
      enrolment.start();
      dispatcher.start();
    },
    async stop() {
      await Promise.all([enrolment.stop(), dispatcher.stop()]);
      http.close();
    },
  };
}

/** Removes uploaded certificates at the start when SECRET_KEY changed: nobody can decrypt their keys. */
function createKeyCheck({ outbox, logger }: CertificatesDeps, keyId: string): BackgroundWork {
  const message =
    'The private key cannot be decrypted since SECRET_KEY changed. Upload the certificate again.';
  let checking: Promise<void> | undefined;

  const check = () =>
    outbox.commit(async (tx, record) => {
      const lastError = { code: 'KEY_LOST', message, at: new Date().toISOString() } as const;
      for (const host of await certificateQueue.dropUnreadableUploads(tx, keyId, lastError)) {
        logger.warn({ host }, 'the key of an uploaded certificate cannot be decrypted with this SECRET_KEY');
        record(host);
      }
    });

  return {
    start() {
      checking = check().catch((error: unknown) => {
        logger.warn({ err: error }, 'uploaded certificates with another key could not be removed');
      });
    },
    stop: async () => checking,
  };
}

/** Names the secret without telling anything about it. */
function keyIdOf(secret: Buffer): string {
  return createHash('sha256')
    .update(deriveKey(secret, 'waymark certificate key id'))
    .digest('hex')
    .slice(0, 16);
}
