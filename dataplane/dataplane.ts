import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { settledWithin } from '../shared/async/deadline.js';
import { keepStringsQuick } from '../shared/process/quick-strings.js';
import { createRegexGuard } from '../shared/rules/regex-guard.js';
import type { RulesetFeed } from '../shared/ruleset/ruleset-feed.js';
import { VisitorAddress } from '../shared/visitor/visitor-address.js';
import { DRAIN_WITHIN_MS } from './drain-time.js';
import type { HitRecorder } from './hits/hit-recorder.js';
import { createAdminListener, type Readiness } from './http/admin-listener.js';
import { createChallengeHandler } from './http/challenge-answer.js';
import { createKeptConnections } from './http/connection-overflow.js';
import { createConnectionWatch } from './http/connection-watch.js';
import { createForbiddenMethodHandler } from './http/forbidden-method.js';
import type { ListenAddress } from './http/listen-address.js';
import { createListener } from './http/listener.js';
import { createMetrics } from './http/metrics.js';
import { createRedirectHandler } from './http/redirect-handler.js';
import { createRequestCounts, createRuleCounts } from './http/request-counts.js';
import { createUnreadAnswers } from './http/unread-answers.js';
import { type Clock, systemClock } from './sync/clock.js';
import { createDiskSnapshot } from './sync/disk-snapshot.js';
import { RulesetTable } from './sync/ruleset-table.js';
import type { SavedSnapshot } from './sync/snapshot-file.js';
import { createSnapshotSaver } from './sync/snapshot-saver.js';
import { createSynchronizer, type SyncStatus } from './sync/synchronizer.js';
import { createTlsCertificates, type TlsCertificatesDeps } from './tls/tls-certificates.js';
import type { VisitorSources } from './visitor/request-visitor.js';

/** Time until idle connections are closed at the stop. */
const CLOSE_IDLE_AFTER_MS = 1_000;

export interface DataplaneDeps {
  readonly config: {
    readonly redirectHost: string;
    readonly redirectPort: number;
    /** Whether other processes of the same product share this port. Default: no. */
    readonly sharesRedirectPort?: boolean;
    readonly adminHost: string;
    /** Undefined if another process shows `readiness` and `metrics`. */
    readonly adminPort: number | undefined;
    readonly dataDir: string;
    /** Minimum time that an idle connection of a visitor stays open. */
    readonly keepAliveSeconds: number;
    /** Maximum number of connections of visitors that stay open after an answer. Default: 2,500. */
    readonly maxKeptConnections?: number;
    /** Whether this process saves rulesets in `dataDir`. One of those that share the folder is enough. Default: yes. */
    readonly savesRulesets?: boolean;
    /**
     * Maximum time to wait for the feed before listening. Set it for a process that starts while others answer
     * visitors.
     */
    readonly awaitFeedMs?: number;
    readonly trustedProxies: readonly string[];
    /** Name of the header that contains a visitor's address. Default: `X-Forwarded-For`. */
    readonly clientIpHeader?: string;
    /** HTTPS on a second port. Default: HTTP only. */
    readonly tls?: TlsSettings | undefined;
    /** Public port of HTTPS. Default: 443. */
    readonly publicHttpsPort?: number;
  };
  /** Certificates of the control plane; used with `config.tls`. Default: only those of a directory. */
  readonly certificates?: TlsCertificatesDeps['remote'];
  /** Called when this process must be replaced to serve the right certificates. */
  readonly onCertificatesOutdated?: TlsCertificatesDeps['onOutdated'];
  readonly feed: RulesetFeed;
  readonly recorder: HitRecorder;
  readonly visitorSources: VisitorSources;
  readonly logger: Logger;
  readonly clock?: Clock;
}

export interface TlsSettings {
  readonly port: number;
  /** See `TLS_CERTIFICATES_DIR`. */
  readonly certificatesDir?: string;
  /** Maximum number of names with a loaded certificate. */
  readonly maxNames: number;
  /** Default: 60 s. */
  readonly directoryIntervalMs?: number;
}

export interface Dataplane {
  /**
   * Loads the last ruleset from disk, follows the feed and opens both ports. Visitors get 503 until there is a
   * ruleset.
   *
   * @throws {ListenError} when a port cannot be opened
   * @throws {UwsUnavailableError} when the HTTP server does not run on this platform; in both cases nothing keeps
   * running
   */
  start(): Promise<{
    readonly redirectAddress: ListenAddress;
    readonly tlsAddress: ListenAddress | undefined;
    readonly adminAddress: ListenAddress | undefined;
  }>;
  /**
   * Stops accepting, lets connections finish, delivers hits, saves the ruleset and closes both ports, within 7 s.
   * Never rejects. Further calls wait for the first one.
   */
  drain(): Promise<void>;
  readiness(): Readiness;
  /**
   * Returns whether there is a redirect for exactly this host. Names below a wildcard do not count. A proxy obtains a
   * certificate for each accepted name, and anyone can make up such names.
   */
  serves(host: string): boolean;
  syncStatus(): SyncStatus;
  readonly metrics: Registry;
}

/** Maximum time after a start in which `/readyz` is 503 because the feed has not confirmed the saved ruleset. */
const AWAIT_NEWEST_MS = 5_000;

/** Creates a data plane from these parts. Also keeps string methods fast in its process: see `keepStringsQuick`. */
export function createDataplane({
  config,
  feed,
  recorder,
  visitorSources,
  logger,
  clock = systemClock,
  certificates,
  onCertificatesOutdated = () => {},
}: DataplaneDeps): Dataplane {
  keepStringsQuick();
  const counts = createRequestCounts();
  const ruleCounts = createRuleCounts();
  const visitorAddress = new VisitorAddress(config.trustedProxies, config.clientIpHeader);
  const regexGuard = createRegexGuard();
  const table = new RulesetTable({ recorder, regexGuard });
  const disk = createDiskSnapshot({ dataDir: config.dataDir, nowMs: clock.nowMs });
  const saver = createSnapshotSaver({ disk, current: () => table.current(), clock, logger });
  /** Whether the table was once as new as the feed. */
  let wasLive = false;
  let startedMs = clock.elapsedMs();
  let endFeedWait = () => {};
  const fedOrDraining = new Promise<void>((resolve) => {
    endFeedWait = resolve;
  });
  const synchronizer = createSynchronizer({
    feed,
    table,
    clock,
    onChange(changes) {
      noteState();
      endFeedWait();
      tls?.certificates.rulesetChanged(changes);
      if (config.savesRulesets !== false) saver.changed();
    },
    onConfirmed() {
      noteState();
      endFeedWait();
    },
    logger,
  });
  const { keepAliveSeconds, dataDir, publicHttpsPort } = config;
  const connectionWatch = createConnectionWatch({ keepAliveSeconds, logger });
  const unread = createUnreadAnswers({ onClosed: connectionWatch.unread });
  const handling = { table, recorder, visitorAddress, visitorSources, counts, ruleCounts, logger, unread };
  const listening = {
    onForbiddenMethod: createForbiddenMethodHandler(counts, unread),
    onOpen: connectionWatch.opened,
    onNotKept: connectionWatch.notKept,
    cut: connectionWatch.cut,
    kept: createKeptConnections(config.maxKeptConnections),
    uws: { keepAliveSeconds, dataDir, warn: (message: string) => logger.warn(message) },
  };
  const tls = config.tls === undefined ? undefined : createTls(config.tls);
  const handler = createRedirectHandler({ ...handling, ...(publicHttpsPort && { publicHttpsPort }) });
  const listener = createListener({
    ...listening,
    onRequest: handler,
    ...(tls && { onChallenge: createChallengeHandler(tls.certificates.challenges, handler) }),
  });
  const metrics = createMetrics({
    counts,
    ruleCounts,
    skippedRegexes: () => regexGuard.skipped,
    unreadableAddresses: () => visitorAddress.unreadable,
    connections: () => listener.connections() + (tls?.listener.connections() ?? 0),
    connectionCounts: connectionWatch.counts,
    hosts: () => table.size,
    isReady: () => readiness().ready,
    syncStatus: synchronizer.status,
    hitStats: () => recorder.stats(),
  });
  tls?.certificates.registerMetrics(metrics);
  const serves = (host: string) => table.has(host);
  const admin = createAdminListener({ readiness, serves: async (host) => serves(host), metrics, logger });
  let starting: ReturnType<Dataplane['start']> | undefined;
  let draining: Promise<void> | undefined;

  function createTls({ port, certificatesDir, maxNames, directoryIntervalMs }: TlsSettings) {
    const tlsCertificates = createTlsCertificates({
      config: {
        ...{ dataDir, certificatesDir, maxNames, prefetches: config.savesRulesets !== false },
        ...(directoryIntervalMs !== undefined && { directoryIntervalMs }),
      },
      table,
      remote: certificates,
      onOutdated: onCertificatesOutdated,
      logger,
    });
    const tlsListener = createListener({
      ...listening,
      onRequest: createRedirectHandler({ ...handling, isOverTls: true }),
      certificates: tlsCertificates.served,
    });
    return { port, certificates: tlsCertificates, listener: tlsListener };
  }

  function noteState(): void {
    wasLive ||= synchronizer.status().state === 'live';
  }

  /**
   * Returns whether the saved ruleset may be old, and the newest one is expected. Visitors of redirects that were added since it was
   * saved would get 404. If the feed has a problem or stays silent, the saved ruleset is the best there is.
   */
  function awaitsNewest(lastError: string | undefined): boolean {
    return !wasLive && lastError === undefined && clock.elapsedMs() - startedMs < AWAIT_NEWEST_MS;
  }

  function readiness(): Readiness {
    const { state, ageMs, lastError, progress } = synchronizer.status();
    return {
      ready: table.version !== undefined && draining === undefined && !awaitsNewest(lastError),
      version: table.version === undefined ? null : table.versionText,
      ageMs: ageMs ?? null,
      state,
      hosts: table.size,
      lastError: lastError ?? null,
      ...(progress !== undefined && { progress }),
    };
  }

  async function loadSaved(): Promise<SavedSnapshot | undefined> {
    const load = await disk.load();
    if (load.outcome === 'refused') {
      logger.error({ reason: load.reason }, 'the saved ruleset was refused and put aside');
    }
    return load.outcome === 'loaded' ? load.saved : undefined;
  }

  async function open() {
    const saved = await loadSaved();
    startedMs = clock.elapsedMs();
    recorder.start();
    synchronizer.start(saved);
    // The ruleset on disk may be some seconds old. The processes that are still serving have a newer one, so wait for
    // the feed.
    if (config.awaitFeedMs !== undefined) await settledWithin(config.awaitFeedMs, fedOrDraining);
    if (draining !== undefined) throw new Error('the data plane was drained before it had started');
    await tls?.certificates.start();
    const visitors = {
      host: config.redirectHost,
      hostVariable: 'REDIRECT_HOST',
      isShared: config.sharesRedirectPort === true,
    };
    const redirectAddress = await listener.listen({
      ...visitors,
      port: config.redirectPort,
      portVariable: 'REDIRECT_PORT',
    });
    const tlsAddress = await tls?.listener.listen({ ...visitors, port: tls.port, portVariable: 'TLS_PORT' });
    return { redirectAddress, tlsAddress, adminAddress: await openAdmin() };
  }

  async function openAdmin(): Promise<ListenAddress | undefined> {
    const { adminHost: host, adminPort: port } = config;
    if (port === undefined) return undefined;
    return admin.listen({ host, port, hostVariable: 'ADMIN_HOST', portVariable: 'ADMIN_PORT' });
  }

  async function shutDown(): Promise<void> {
    await starting?.catch(() => undefined);
    await Promise.all(
      [listener, tls?.listener].map((one) =>
        attempt('closing connections', async () => one?.drain(CLOSE_IDLE_AFTER_MS)),
      ),
    );
    synchronizer.stop();
    await Promise.all([
      attempt('handing over hits', () => recorder.stop()),
      attempt('ending requests for certificates', async () => tls?.certificates.stop()),
      attempt('saving the ruleset', saver.flush),
    ]);
  }

  async function attempt(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      logger.error({ err: error }, `${what} failed while draining`);
    }
  }

  function drain(): Promise<void> {
    endFeedWait();
    draining ??= (async () => {
      const inTime = await settledWithin(DRAIN_WITHIN_MS, shutDown());
      if (!inTime) logger.error(`draining took longer than ${DRAIN_WITHIN_MS} ms; the rest is given up`);
      await admin.close();
    })();
    return draining;
  }

  return {
    async start() {
      starting = open();
      try {
        return await starting;
      } catch (error) {
        await drain();
        throw error;
      }
    },
    drain,
    readiness,
    serves,
    syncStatus: synchronizer.status,
    metrics,
  };
}
