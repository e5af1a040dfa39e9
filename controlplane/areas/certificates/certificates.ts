import type { Registry } from 'prom-client';
import type { CertificatesAnswer } from '../../../shared/certificates/certificate-exchange.js';
import type { AcmeConfig } from '../../../shared/config/acme-config.js';
import type { Area } from '../../area.js';
import type { IsOperator } from '../../http/current-user.js';
import { createGatheredReads } from '../../storage/postgres/gathered-reads.js';
import type { Certificate } from './certificate.js';
import { certificateRepository } from './certificate-repository.js';
import { createCertificateRoutes } from './certificate-routes.js';
import { type CertificateRecord, certificateRecord } from './certificate-schema.js';
import { createCertificateService } from './certificate-service.js';
import { createCertificateWarnings } from './certificate-warnings.js';
import { createCertificatesMetrics } from './certificates-metrics.js';
import { createCertificatesToCheck } from './certificates-to-check.js';
import { createDirectoryView } from './directory-view.js';
import { createDnsChallenges } from './dns01/dns-challenges.js';
import { createExpiryNotices } from './expiry-notices.js';
import { createForeignKeys } from './foreign-keys.js';
import { createInternalRoutes } from './internal-routes.js';
import { createOrderForecast } from './order-forecast.js';
import { createOrdering, type OrderingSettings } from './ordering.js';
import { resealCertificates } from './reseal.js';
import { createSealingKeys } from './sealing-keys.js';

export interface CertificatesDeps extends OrderingSettings {
  /** Authorities and account. Absent: certificates are only uploaded. */
  readonly acme: AcmeConfig | undefined;
  readonly metrics: Registry;
  readonly isOperator: IsOperator;
  /** TLS_CERTIFICATES_DIR, where data planes on this machine have one. */
  readonly certificatesDir?: string | undefined;
  /** Time until certificates of an unknown SECRET_KEY are ordered anew. Default: an hour. */
  readonly keyGraceMs?: number;
}

/** Certificates: obtaining and renewing them, uploads, and their way to data planes. */
export interface Certificates extends Area {
  /** Returns the member `certificate` of redirects of these hosts. Hosts without one are left out. */
  recordsOf(hosts: readonly string[]): Promise<ReadonlyMap<string, CertificateRecord>>;
  /**
   * Answers data planes.
   *
   * @param names of handshakes that only a wildcard redirect serves. Default: none
   */
  answer(fingerprints: readonly string[], names?: readonly string[]): Promise<CertificatesAnswer>;
}

/** Limits of reads for answers about one redirect. */
const READS = { maxReadsAtOnce: 2, maxKeysPerRead: 100 };

/** Puts the area together. */
export async function createCertificates(deps: CertificatesDeps): Promise<Certificates> {
  const { database, outbox, secret, acme, target, logger } = deps;
  const { previousSecrets = [] } = deps;
  const keys = createSealingKeys(secret, previousSecrets);
  const resealed = await resealCertificates({ database, keys, logger });
  if (resealed > 0) logger.info({ count: resealed }, 'certificates are encrypted with the new SECRET_KEY');
  const foreignKeys = createForeignKeys({ database, outbox, keys, logger, graceMs: deps.keyGraceMs });
  const { graceSeconds } = foreignKeys;
  const directory = await createDirectoryView(deps.certificatesDir, logger);
  const metrics = createCertificatesMetrics({ ...deps, directory });
  const dnsChallenges =
    acme?.dns && createDnsChallenges({ config: acme.dns, dnsServers: deps.dnsServers, logger });
  const ordering =
    acme === undefined
      ? undefined
      : await createOrdering({ ...deps, acme, keys, metrics, graceSeconds, directory, dnsChallenges });
  const notices = createExpiryNotices(database, logger);
  const service = createCertificateService({
    ...{ database, outbox, keys, directory },
    orders: ordering !== undefined,
    ordersWildcards: dnsChallenges !== undefined,
    onDue: () => ordering?.wake(),
  });

  // Changes of single redirects are answered together, and each answer names the certificate of its host.
  const reads = createGatheredReads(service.ofHosts, READS);

  async function ofHosts(hosts: readonly string[]): Promise<ReadonlyMap<string, Certificate>> {
    const [host, ...more] = hosts;
    if (host === undefined || more.length > 0) return service.ofHosts(hosts);
    const certificate = await reads.read(host);
    return new Map(certificate && [[host, certificate]]);
  }

  async function answer(
    fingerprints: readonly string[],
    names: readonly string[] = [],
  ): Promise<CertificatesAnswer> {
    const certificates =
      fingerprints.length === 0 ? [] : await certificateRepository.findSealed(database, fingerprints);
    if (ordering === undefined) return { certificates, challengeThumbprints: [] };
    await ordering.noteKnown();
    ordering.report(names);
    return { certificates, challengeThumbprints: [ordering.thumbprint] };
  }

  return {
    routes: [
      createCertificateRoutes({
        ...{ service, target },
        isOperator: deps.isOperator,
        toCheck: createCertificatesToCheck({ database, directory, keys }),
        delegationOf: (wildcard) => dnsChallenges?.delegationOf(wildcard),
        forecast: createOrderForecast(database, ordering?.authorities),
        warningsOf: createCertificateWarnings(database, keys),
      }),
      createInternalRoutes({ current: secret, previous: previousSecrets }, answer),
    ],
    async recordsOf(hosts) {
      const found = await ofHosts(hosts);
      return new Map(Array.from(found, ([host, certificate]) => [host, certificateRecord(certificate)]));
    },
    answer,
    jobs: [notices, foreignKeys, ...directory.jobs, ...(ordering === undefined ? [] : [ordering])],
  };
}
