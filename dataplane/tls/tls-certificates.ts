import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { createDirectoryCertificates } from '../../shared/certificates/directory-certificates.js';
import { ConfigError } from '../../shared/config/environment.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { addCounter, addGauge, addLabelledCounter } from '../../shared/process/metrics.js';
import type { CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import type { ChallengeAnswers } from '../http/challenge-answer.js';
import type { ServerCertificates } from '../http/tls-app.js';
import type { RulesetTable } from '../sync/ruleset-table.js';
import { createBelowWildcards } from './below-wildcards.js';
import { createCertificateCache } from './certificate-cache.js';
import { createCertificateFetcher } from './certificate-fetcher.js';
import { createCertificatePrefetch } from './certificate-prefetch.js';
import type { CertificateSource } from './certificate-source.js';
import { createCurrentChallenges } from './challenges.js';
import { createKeyFiles } from './key-files.js';
import { createLoadedCertificates, type ReplacementUrgency } from './loaded-certificates.js';
import { createNameReports } from './name-reports.js';
import { createSavedCertificates } from './saved-certificates.js';

/** Interval at which the directory is read. */
const DIRECTORY_INTERVAL_MS = 60_000;
/** Interval at which certificates that are waited for are looked for again. */
const CHECK_INTERVAL_MS = 60_000;

/** Certificates and challenges of one data-plane process. */
export interface TlsCertificates {
  readonly served: ServerCertificates;
  readonly challenges: ChallengeAnswers;
  /** @param changes undefined: the whole ruleset was replaced */
  rulesetChanged(changes: readonly RulesetChange[] | undefined): void;
  /** @throws {ConfigError} when the directory cannot be read */
  start(): Promise<void>;
  stop(): Promise<void>;
  registerMetrics(registry: Registry): void;
}

export interface TlsCertificatesDeps {
  readonly config: {
    readonly dataDir: string;
    /** Undefined if the operator has not set one. */
    readonly certificatesDir: string | undefined;
    readonly maxNames: number;
    /** Whether this process keeps the certificates of all redirects on disk. One of those that share `dataDir` suffices. */
    readonly prefetches: boolean;
    /** Default: 60 s. */
    readonly directoryIntervalMs?: number;
  };
  readonly table: Pick<RulesetTable, 'find' | 'findWildcard' | 'current'>;
  /** The control plane's certificates; undefined where there is no control plane. */
  readonly remote: { readonly source: CertificateSource; readonly sealing: CertificateSealing } | undefined;
  /** Called when this process must be replaced to serve the right certificates. */
  readonly onOutdated: (urgency: ReplacementUrgency) => void;
  readonly logger: Logger;
}

export function createTlsCertificates(deps: TlsCertificatesDeps): TlsCertificates {
  const { config, table, remote, onOutdated, logger } = deps;
  const { dataDir, certificatesDir, directoryIntervalMs = DIRECTORY_INTERVAL_MS } = config;
  const challenges = createCurrentChallenges();
  const cache = remote && createCertificateCache(dataDir, remote.sealing);
  const reports = createNameReports();
  const onSaved = (fingerprint: string) => saved?.saved(fingerprint);
  const fetcher =
    remote &&
    cache &&
    createCertificateFetcher({ source: remote.source, cache, challenges, reports, onSaved, logger });
  const saved =
    cache &&
    createSavedCertificates({
      cache,
      fetch: (fingerprint) => fetcher?.fetch(fingerprint),
      isNamed: (host, fingerprint) => certificatesOf(table.find(host)?.redirect).has(fingerprint),
    });
  const redirects = () => table.current()?.redirects;
  const prefetch =
    config.prefetches && cache && fetcher
      ? createCertificatePrefetch({ cache, fetcher, redirects, logger })
      : undefined;
  const directory =
    certificatesDir === undefined ? undefined : createDirectoryCertificates(certificatesDir, logger);
  const loaded = createLoadedCertificates({
    redirectOf: (host) => (table.find(host) ?? table.findWildcard(host))?.redirect,
    directory,
    cache,
    onMissing: (fingerprint) => fetcher?.fetch(fingerprint),
    onUncovered: reports.see,
    onceSaved: (fingerprint, host, run) => saved?.once(fingerprint, host, run),
    onWildcard: () => belowWildcards.search(),
    onOutdated,
    keyFiles: createKeyFiles(dataDir),
    maxNames: config.maxNames,
    logger,
  });
  const belowWildcards = createBelowWildcards({ redirects, onHost: loaded.loadBelowWildcard, logger });
  let refreshTimer: NodeJS.Timeout | undefined;
  let checkTimer: NodeJS.Timeout | undefined;
  let refreshing: Promise<void> = Promise.resolve();
  let isStopped = false;

  function refreshLater(): void {
    if (directory === undefined || isStopped) return;
    refreshTimer = setTimeout(() => {
      refreshing = directory.refresh().then(loaded.directoryChanged, (error: unknown) => {
        logger.error({ problem: messageOf(error) }, 'TLS_CERTIFICATES_DIR cannot be read');
      });
      void refreshing.then(refreshLater);
    }, directoryIntervalMs);
  }

  return {
    served: loaded,
    challenges,
    rulesetChanged(changes) {
      loaded.rulesetChanged(changes);
      if (changes === undefined) prefetch?.rulesetReplaced();
      for (const { redirect } of changes ?? []) {
        if (redirect?.certificate !== undefined) prefetch?.named(redirect.certificate.fingerprint);
        for (const { fingerprint } of Object.values(redirect?.namedCertificates ?? {})) {
          prefetch?.named(fingerprint);
        }
      }
    },
    async start() {
      await directory?.refresh().catch((error: unknown) => {
        throw new ConfigError(`TLS_CERTIFICATES_DIR cannot be read (${messageOf(error)}): name a folder.`);
      });
      refreshLater();
      await fetcher?.start();
      prefetch?.start();
      checkTimer = setInterval(() => saved?.check(), CHECK_INTERVAL_MS);
    },
    async stop() {
      isStopped = true;
      clearTimeout(refreshTimer);
      clearInterval(checkTimer);
      await fetcher?.stop();
      await Promise.all([prefetch?.stop(), saved?.stop(), belowWildcards.stop(), refreshing]);
    },
    registerMetrics(registry) {
      const names = 'Names whose certificate this process has loaded';
      addGauge(registry, 'waymark_tls_names_loaded', names, () => loaded.size);
      addLabelledCounter(
        registry,
        'waymark_tls_fallbacks_total',
        'Handshakes that got the self-signed certificate: unknown host, none yet, or TLS_MAX_NAMES is reached',
        'reason',
        () => ({
          unknown_host: loaded.fallbacks.unknownHost,
          no_certificate: loaded.fallbacks.withoutCertificate,
          limit: loaded.fallbacks.beyondLimit,
        }),
      );
      addLabelledCounter(
        registry,
        'waymark_tls_names_reported_total',
        'Names below wildcards without a certificate: reported to the control plane, or not because of the limits',
        'outcome',
        () => ({ reported: reports.stats.reported, limit: reports.stats.beyondLimit }),
      );
      const fetched = 'Certificates read from the control plane';
      addCounter(
        registry,
        'waymark_tls_certificates_fetched_total',
        fetched,
        () => fetcher?.stats.fetched ?? 0,
      );
      const failed = 'Failed requests for certificates to the control plane';
      addCounter(
        registry,
        'waymark_tls_fetch_errors_total',
        failed,
        () => fetcher?.stats.failedRequests ?? 0,
      );
    },
  };
}

/** Returns the fingerprints that a redirect names. */
function certificatesOf(redirect: CompiledRedirect | undefined): ReadonlySet<string> {
  const { certificate, named } = redirect?.https ?? {};
  const all = [...(certificate === undefined ? [] : [certificate]), ...(named?.values() ?? [])];
  return new Set(all.map(({ fingerprint }) => fingerprint));
}
