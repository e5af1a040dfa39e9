import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ControlplaneConfig } from '../shared/config/config.js';
import { deriveInternalToken } from '../shared/config/internal-token.js';
import { loadSecretKey } from '../shared/config/secret-key.js';
import { allEnded } from '../shared/process/all-ended.js';
import { reachableUrl } from '../shared/process/reachable-url.js';
import { unlessAborted } from '../shared/process/unless-aborted.js';
import { writeProblem } from '../shared/process/write-problem.js';
import type { DataplaneReport } from '../shared/ruleset/dataplane-report.js';
import type { RulesetSize } from '../shared/ruleset/replacement.js';
import type { RulesetFeed } from '../shared/ruleset/ruleset-feed.js';
import { openPlaces } from '../shared/visitor/place.js';
import { type Accounts, createAccounts } from './accounts/accounts.js';
import { createAnalyticsRoutes } from './analytics/analytics-routes.js';
import { createAnalyticsService } from './analytics/analytics-service.js';
import { extendRetention } from './analytics/retention.js';
import { createShownVisitor } from './analytics/shown-visitor.js';
import { createUsageReader } from './analytics/usage.js';
import { buildApp } from './app.js';
import type { BackgroundWork } from './background/background-work.js';
import type { BackupEntry } from './backup/backup-entry.js';
import { embeddedEntries } from './backup/embedded-entries.js';
import { createBusyRedirects } from './billing/busy-redirects.js';
import { chooseProvider } from './billing/choose-provider.js';
import { createHitRetention } from './billing/hit-retention.js';
import { createKeptRetention } from './billing/kept-retention.js';
import { warnOfLostPlans } from './billing/lost-plans.js';
import { createPeriodUsage } from './billing/period-usage.js';
import { createPlanAccess } from './billing/plan-access.js';
import { loadPlanCatalogue } from './billing/plan-catalogue.js';
import { createProvidedBilling } from './billing/provided-billing.js';
import { createRecordingLimits } from './billing/recording-limits.js';
import { createRecordingState } from './billing/recording-state.js';
import type { AnalyticsStore } from './clickhouse/analytics-store.js';
import { openStoreInBackground } from './clickhouse/open-store-in-background.js';
import { registerPartsAside } from './clickhouse/parts-aside.js';
import { EmbeddedDatabaseLost, type WhenUnusable } from './database/embedded-database-lost.js';
import { openDatabase } from './database/open-database.js';
import { registerDataplaneMetrics } from './dataplanes/dataplane-metrics.js';
import { createDataplaneRoutes } from './dataplanes/dataplane-routes.js';
import { createDataplaneWatch } from './dataplanes/dataplane-watch.js';
import { createEndedProducers } from './dataplanes/ended-producers.js';
import { createLocalDataplanes } from './dataplanes/local-dataplanes.js';
import { readProducerAccounts } from './dataplanes/producer-accounts.js';
import { findDnsServers } from './domains/dns-servers.js';
import { createDomainVerifier } from './domains/domain-verification.js';
import { createHeldControlplane, WAITS } from './held-controlplane.js';
import { createIdempotencyStore } from './idempotency/idempotency-store.js';
import { type ApiAddress, listen } from './listen.js';
import { authenticateUnlessHeld } from './plugins/held-api.js';
import { UnreadyError } from './plugins/operations.js';
import {
  createLocalRateLimitStores,
  openSharedRateLimitStores,
  WINDOW_SECONDS,
} from './plugins/rate-limit-store.js';
import { createEpochRoutes } from './publisher/epoch-routes.js';
import { createInvalidLog } from './publisher/invalid-log.js';
import {
  createPublicationGuard,
  type PublicationGuard,
  PublicationRefused,
  WAYS_ON,
} from './publisher/publication-guard.js';
import { openRedisPublishing } from './publisher/redis-publishing.js';
import { createRulesetBuilder } from './publisher/ruleset-builder.js';
import { createRulesetDocuments } from './publisher/ruleset-documents.js';
import { createRulesetHistory } from './publisher/ruleset-history.js';
import { createRulesetOutbox } from './publisher/ruleset-outbox.js';
import { createRulesetPublisher } from './publisher/ruleset-publisher.js';
import { createRulesetRepository } from './publisher/ruleset-repository.js';
import { createRulesetRoutes } from './publisher/ruleset-routes.js';
import { createDomainRecheck } from './redirects/domain-recheck.js';
import { redirectRepository } from './redirects/redirect-repository.js';
import { createRedirectRoutes } from './redirects/redirect-routes.js';
import { createRedirectService } from './redirects/redirect-service.js';
import { createVerificationService } from './redirects/verification-service.js';
import { ruleRepository } from './rules/rule-repository.js';
import { createRules } from './rules/rules.js';
import { createTwoStepStop } from './two-step-stop.js';
import { emit } from './webhooks/integrator-events.js';
import { createWebhooks } from './webhooks/webhooks.js';

export interface ControlplaneDeps {
  readonly config: ControlplaneConfig;
  readonly logger: Logger;
  readonly version: string;
  /** Ends the opening of databases. The process is to end then: the embedded PostgreSQL may be left half open. */
  readonly signal: AbortSignal;
  /** Makes `/readyz` answer 503 when it is aborted, before anything is closed. */
  readonly leaving?: AbortSignal;
  /** Whether data planes run beside it with the same DATA_DIR, and so with its key. Default: no. */
  readonly hasOwnDataplanes?: boolean;
  /** What those data planes have saved; `unreadable` when that cannot be told. Default: nothing. */
  readonly saved?: RulesetSize | 'unreadable' | undefined;
  /** Whether the database may replace any ruleset that is served, and an embedded one be made anew. Default: no. */
  readonly acceptsAnyLoss?: boolean;
}

export interface Controlplane {
  readonly accounts: Pick<Accounts, 'bootstrap'>;
  /** Why nothing is published and nothing can be changed; undefined while all is well. */
  refusal(): string | undefined;
  /** Whether it stands in until its disk can be written to; another one can be opened then. */
  readonly waitsForRoom: boolean;
  /** Rulesets for a data plane that this process feeds itself. */
  createFeed(): RulesetFeed;
  /** The analytics store. Shared with in-process ingestion; closed by `stop()`. */
  readonly store: AnalyticsStore;
  /** What its API shows to Prometheus. */
  readonly metrics: Registry;
  /** What a backup holds of the embedded databases; undefined while the database is lost. */
  readonly backupEntries: (() => AsyncIterable<BackupEntry>) | undefined;
  /** Hears from a data plane that this process runs itself. */
  takeReport(report: DataplaneReport): void;
  /** Hears that hits of these redirects were stored by this process. */
  noteHits(redirectIds: readonly string[]): void;
  /**
   * Begins to listen and to work in the background. Resolves to where the API listens.
   *
   * @throws {ConfigError} when the port cannot be had
   */
  start(): Promise<ApiAddress>;
  /** Answers what is under way, and ends the work in the background; the store goes on taking hits. */
  retire(): Promise<void>;
  /** Retires, unless that was done, and then closes everything. What failed is told to the first who asked for it. */
  stop(): Promise<void>;
}

/**
 * Builds the control plane from its configuration: the one place where its parts are made and meet. Opens the
 * databases and brings their schemas up to date; nothing listens yet.
 *
 * @throws what keeps one of them from being opened, the signal included
 */
export async function createControlplane({
  config,
  logger,
  version,
  signal,
  leaving,
  hasOwnDataplanes = false,
  saved,
  acceptsAnyLoss = false,
}: ControlplaneDeps): Promise<Controlplane> {
  // What it refuses is refused before anything is opened.
  const chosen = chooseProvider(config);
  const catalogue = await loadPlanCatalogue(config);
  const dnsServers = config.dnsServers && (await findDnsServers(config.dnsServers));
  const secret = await loadSecretKey(config);
  const places = await openPlaces(config);
  signal.throwIfAborted();
  // The databases take their time and do not need each other; if one fails the other is closed again. The process can end
  // while the embedded PostgreSQL is at work, which is JavaScript's own, and not while the engine of the store is.
  const [database, store] = await openBoth(
    unlessAborted(signal, openOrLose(config, logger, whenUnusable(saved, acceptsAnyLoss))),
    openStoreInBackground(config, logger, { signal }),
  );
  if ('loss' in database) {
    const { message, waitsForRoom } = database.loss;
    const waysOn = waitsForRoom ? WAITS : WAYS_ON;
    const reason = `${message}. The redirects that were saved last are served, and nothing can be changed. ${waysOn}`;
    return createHeldControlplane({ config, store, logger, reason, waitsForRoom });
  }
  const metrics = new Registry();
  registerPartsAside(metrics, () => store.partsAside);

  const access = createPlanAccess({ database, catalogue, provider: chosen.provider, nowMs: Date.now });
  const rateLimits =
    config.redisUrl === undefined
      ? createLocalRateLimitStores()
      : openSharedRateLimitStores(config.redisUrl, logger);
  const accounts = createAccounts({
    config,
    database,
    logger,
    planOf: access.planOf,
    standingOf: (user) => billing.standingOf(user),
    rateLimits,
  });
  const outbox = createRulesetOutbox(database);
  const rulesets = createRulesetRepository(database, access.plansOf, createInvalidLog(logger));
  const builder = createRulesetBuilder({ repository: rulesets, logger });
  const guard = createPublicationGuard({ history: createRulesetHistory(database), acceptsAnyLoss, logger });
  const refusal = () => guard.refusal;
  if (saved !== undefined && saved !== 'unreadable') await admitSaved(guard, saved);
  const publisher = createRulesetPublisher({ outbox, repository: rulesets, refusal, logger });
  const redirectDeps = { database, outbox, repository: redirectRepository };
  const redirects = createRedirectService(redirectDeps);
  const verifier = createDomainVerifier({ dnsServers });
  const verification = createVerificationService({ ...redirectDeps, verifier });
  const recheck = createDomainRecheck({ database, repository: redirectRepository, verification, logger });
  // Nothing but this process writes to the embedded store.
  const usage = createUsageReader(store, { hearsOfHits: store.kind === 'embedded' });
  const rules = createRules({ database, outbox, store, redirects, places, secret });
  const webhooks = createWebhooks({
    database,
    secret,
    allowPrivate: config.webhookAllowPrivate,
    dnsServers,
    metrics,
    logger,
  });

  let apiAddress = config.publicApiUrl ?? reachableUrl({ host: config.apiHost, port: config.apiPort });
  const billing = createProvidedBilling(chosen, {
    database,
    outbox,
    catalogue,
    access,
    emit,
    countEvents: createPeriodUsage(store),
    dashboardUrl: config.dashboardUrl,
    corsOrigins: config.corsOrigins,
    apiAddress: () => apiAddress,
    logger,
    nowMs: Date.now,
  });

  const recordingLimits = createRecordingLimits({
    outbox,
    catalogue,
    access,
    findBusy: createBusyRedirects({ store, nowMs: Date.now }),
    logger,
    nowMs: Date.now,
  });

  const localDataplanes = createLocalDataplanes();
  const redis =
    config.redisUrl === undefined
      ? undefined
      : openRedisPublishing({
          url: config.redisUrl,
          outbox,
          repository: rulesets,
          builder,
          guard,
          metrics,
          logger,
        });
  const overview = { reports: redis?.reports ?? localDataplanes, readHead: () => rulesets.readHead() };
  registerDataplaneMetrics(metrics, { ...overview, logger });
  const dataplaneWatch = createDataplaneWatch({ reports: overview.reports, guard, logger });
  // A key that was made here is known to nobody who could ask from elsewhere; data planes of its own ask where rulesets
  // come to them through Redis.
  const isKeyShared = config.secretKey !== undefined || (hasOwnDataplanes && config.redisUrl !== undefined);
  const rulesetRoutes = !isKeyShared
    ? []
    : [
        createRulesetRoutes({
          documents: createRulesetDocuments({ repository: rulesets, builder }),
          refusal,
          token: deriveInternalToken(secret),
        }),
      ];

  const hitRetention = createHitRetention({
    database,
    access,
    extendRetention: (redirectIds, days) => extendRetention(store, redirectIds, days),
    logger,
  });
  const endedProducers = createEndedProducers({ store, logger });
  const app = await buildApp({
    logger,
    version,
    metrics,
    leaving,
    probes: {
      async database() {
        await database.ping();
        if (database.kind === 'embedded') refuseUnready(diskProblem(await writeProblem(config.dataDir)));
      },
      rulesets: async () => refuseUnready(guard.refusal ?? publisher.problem),
    },
    sideProbes: {
      analytics: async () => {
        refuseUnready(store.problem);
        await store.ping();
      },
      ...(redis && { redis: redis.ping, publishing: async () => refuseUnready(redis.delay()) }),
    },
    authenticate: authenticateUnlessHeld(accounts.authenticate, refusal),
    refusal,
    rateLimit: {
      defaultPlan: catalogue.defaultPlan,
      multiplier: config.rateLimitMultiplier,
      store: rateLimits.open('requests', WINDOW_SECONDS),
    },
    idempotency: createIdempotencyStore({ database, secret }),
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    clientIpHeader: config.clientIpHeader,
    areas: [
      accounts.routes,
      createRedirectRoutes({ service: redirects, verification, usageOf: (ids) => usage.usageOf(ids) }),
      ...rules.routes,
      createAnalyticsRoutes({
        analytics: createAnalyticsService({
          store,
          redirects,
          shownVisitor: createShownVisitor(secret),
          retentionDaysOf: createKeptRetention({ database, access }),
          isRecordingPaused: createRecordingState({ database, access }),
          ruleNamesOf: (redirectId) => ruleRepository.namesOfRedirect(database, redirectId),
        }),
      }),
      ...billing.routes,
      createDataplaneRoutes({
        ...overview,
        isOperator: accounts.isOperator,
        readProducers: () => readProducerAccounts(store),
      }),
      createEpochRoutes({ guard, isOperator: accounts.isOperator }),
      ...rulesetRoutes,
      webhooks.routes,
    ],
  });

  const background: readonly BackgroundWork[] = [
    recheck,
    webhooks,
    billing.upkeep,
    hitRetention,
    endedProducers,
    recordingLimits,
    dataplaneWatch,
  ];
  const { retire, stop } = createTwoStepStop({
    async retire() {
      builder.stop();
      // What is still answered is carried on: to the data planes here, and to Redis.
      const answering = allEnded([app.close(), ...background.map((work) => work.stop())]);
      const publishing = answering
        .catch(() => undefined)
        .then(() => allEnded([publisher.stop(), redis?.stop()]));
      await allEnded([answering, publishing]);
    },
    close() {
      rateLimits.close();
      return allEnded([database.close(), store.close()]);
    },
  });

  return {
    accounts: {
      // A first token of a database that may be given up would be shown for nothing.
      bootstrap: ({ generate }) => accounts.bootstrap({ generate: generate && guard.refusal === undefined }),
    },
    refusal,
    waitsForRoom: false,
    createFeed: () => publisher.createFeed(),
    store,
    metrics,
    backupEntries: () => embeddedEntries({ database, store, dataDir: config.dataDir }),
    takeReport: (report) => localDataplanes.take(report),
    noteHits: (redirectIds) => usage.noteHits(redirectIds),
    async start() {
      await warnOfLostPlans({ database, catalogue, logger });
      redis?.start();
      // Not on behalf of a database that may be the wrong one: it would send webhooks and mend accounts.
      guard.onceAllowed(() => {
        for (const work of background) work.start();
      });
      const address = await listen(app, { host: config.apiHost, port: config.apiPort });
      apiAddress = config.publicApiUrl ?? reachableUrl(address);
      return address;
    },
    retire,
    stop,
  };
}

/** What to do where the embedded database is missing or damaged. */
function whenUnusable(saved: ControlplaneDeps['saved'], acceptsAnyLoss: boolean): WhenUnusable {
  if (acceptsAnyLoss) return 'replace';
  return saved === 'unreadable' || (saved?.hosts ?? 0) > 0 ? 'refuse' : 'create';
}

/** The database, or how it was lost. */
async function openOrLose(config: ControlplaneConfig, logger: Logger, unusable: WhenUnusable) {
  try {
    return await openDatabase(config, logger, unusable);
  } catch (error) {
    if (!(error instanceof EmbeddedDatabaseLost)) throw error;
    return { loss: error, close: async () => {} };
  }
}

/** Compares the database with what data planes of this machine have saved; the guard keeps what it has against it. */
async function admitSaved(guard: PublicationGuard, { version, hosts }: RulesetSize): Promise<void> {
  try {
    await guard.admit({ place: 'the ruleset saved in DATA_DIR', version, hosts: async () => hosts });
  } catch (error) {
    if (!(error instanceof PublicationRefused)) throw error;
  }
}

function diskProblem(problem: string | undefined): string | undefined {
  return problem && `DATA_DIR cannot be written to: ${problem}. Changes are refused until there is room.`;
}

function refuseUnready(reason: string | undefined): void {
  if (reason !== undefined) throw new UnreadyError(reason);
}

interface Closable {
  close(): Promise<void>;
}

async function openBoth<A extends Closable, B extends Closable>(
  opening: Promise<A>,
  otherOpening: Promise<B>,
): Promise<[A, B]> {
  const [one, other] = await Promise.allSettled([opening, otherOpening]);
  if (one.status === 'fulfilled' && other.status === 'fulfilled') return [one.value, other.value];
  if (one.status === 'fulfilled') await one.value.close();
  if (other.status === 'fulfilled') await other.value.close();
  throw one.status === 'rejected' ? one.reason : (other as PromiseRejectedResult).reason;
}
