import path from 'node:path';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { allEnded } from '../shared/async/all-ended.js';
import type { ControlplaneConfig } from '../shared/config/config.js';
import { packageRoot } from '../shared/config/package-root.js';
import { loadSecretKeys } from '../shared/config/secret-key.js';
import { reachableUrl } from '../shared/process/reachable-url.js';
import { writeProblem } from '../shared/process/write-problem.js';
import type { DataplaneReport } from '../shared/ruleset/dataplane-report.js';
import type { RulesetSize } from '../shared/ruleset/replacement.js';
import type { RulesetFeed } from '../shared/ruleset/ruleset-feed.js';
import { openPlaces } from '../shared/visitor/place.js';
import type { Area } from './area.js';
import { type Accounts, createAccounts } from './areas/accounts/public.js';
import { createAnalytics, createUsageReader, eraseHits, extendRetention } from './areas/analytics/public.js';
import {
  chooseProvider,
  createBillingByProvider,
  createPlanAccess,
  warnOfLostPlans,
} from './areas/billing/public.js';
import { checkAuthorities, createCertificates } from './areas/certificates/public.js';
import { findDnsServers } from './areas/domains/public.js';
import { createImports } from './areas/imports/public.js';
import { createOperator, operatorLog } from './areas/operator/public.js';
import { createPaths } from './areas/paths/public.js';
import { createPeriodUsage, createPlans, loadPlanCatalogue } from './areas/plans/public.js';
import { createRedirects, releaseDomain } from './areas/redirects/public.js';
import { createRules, ruleRepository } from './areas/rules/public.js';
import { createWebhooks, emit } from './areas/webhooks/public.js';
import { createHeldControlplane, type HeldControlplaneDeps, WAITS } from './held-controlplane.js';
import { buildApp } from './http/app.js';
import { readConsoleFiles } from './http/console/console-files.js';
import type { ConsoleOptions } from './http/console/console-routes.js';
import { authenticateUnlessHeld } from './http/held-api.js';
import { createIdempotencyCleaning, createIdempotencyStore } from './http/idempotency/idempotency-store.js';
import { type ApiAddress, listen } from './http/listen.js';
import { type Probes, UnreadyError } from './http/operations.js';
import {
  createLocalRateLimitStores,
  openSharedRateLimitStores,
  WINDOW_SECONDS,
} from './http/rate-limit-store.js';
import { createMailQueue } from './mail/mail-queue.js';
import { createLogTransport, createSmtpTransport } from './mail/mail-transport.js';
import { createOwnerMails } from './mail/owner-mails.js';
import { WAYS_ON } from './publishing/publication-guard.js';
import { openPublishing, type Publishing } from './publishing/publishing.js';
import { createRulesetOutbox } from './publishing/ruleset-outbox.js';
import type { BackupEntry } from './storage/backup/backup-entry.js';
import { embeddedEntries } from './storage/backup/embedded-entries.js';
import type { AnalyticsStore } from './storage/clickhouse/analytics-store.js';
import { registerPartsAside } from './storage/clickhouse/parts-aside.js';
import { openStorage } from './storage/open-storage.js';
import type { EmbeddedDatabaseLost, WhenUnusable } from './storage/postgres/embedded-database-lost.js';
import { createTwoStepStop } from './two-step-stop.js';

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
  /** Ruleset that those data planes have saved; `unreadable` if it cannot be read. Default: none. */
  readonly saved?: RulesetSize | 'unreadable' | undefined;
  /** Whether the database may replace any ruleset that is served, and an embedded one be made anew. Default: no. */
  readonly acceptsAnyLoss?: boolean;
}

export interface Controlplane {
  readonly accounts: Pick<Accounts, 'bootstrap' | 'createSignInCode'>;
  /** Why nothing is published and nothing can be changed; undefined while all is well. */
  refusal(): string | undefined;
  /** Whether it stands in until its disk can be written to; another one can be opened then. */
  readonly waitsForRoom: boolean;
  /** Rulesets for a data plane that this process feeds itself. */
  createFeed(): RulesetFeed;
  /** The analytics store. Shared with in-process ingestion; closed by `stop()`. */
  readonly store: AnalyticsStore;
  /** Metrics that the API exposes to Prometheus. */
  readonly metrics: Registry;
  /** Entries of the embedded databases in a backup; undefined while the database is lost. */
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
  /** Retires, unless that was done, and then closes everything. The first caller receives the errors. */
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
  // Configuration that this process refuses ends it before anything is opened.
  const chosen = chooseProvider(config);
  const catalogue = await loadPlanCatalogue(config);
  const dnsServers = config.dnsServers && (await findDnsServers(config.dnsServers));
  const secrets = await loadSecretKeys(config);
  const secret = secrets.current;
  const places = await openPlaces(config);
  if (config.acme !== undefined) await checkAuthorities(config.acme);
  signal.throwIfAborted();
  const storage = await openStorage(config, logger, {
    whenUnusable: whenUnusable(saved, acceptsAnyLoss),
    signal,
  });
  if ('loss' in storage) return holdFor(storage.loss, { config, store: storage.store, logger });
  const { database, store } = storage;
  const metrics = new Registry();
  registerPartsAside(metrics, () => store.partsAside);

  const access = createPlanAccess({ database, catalogue, provider: chosen.provider, nowMs: Date.now });
  const rateLimits =
    config.redisUrl === undefined
      ? createLocalRateLimitStores()
      : openSharedRateLimitStores(config.redisUrl, logger);
  const outbox = createRulesetOutbox(database);
  const publishing = await openPublishing({
    database,
    store,
    outbox,
    plansOf: access.plansOf,
    redisUrl: config.redisUrl,
    secretsOfDataplanes: hasRemoteDataplanes(config, hasOwnDataplanes) ? secrets : undefined,
    saved: saved === 'unreadable' ? undefined : saved,
    acceptsAnyLoss,
    metrics,
    logger,
  });
  const { refusal } = publishing;

  let apiAddress = config.publicApiUrl ?? reachableUrl({ host: config.apiHost, port: config.apiPort });
  const mails = createMailQueue({
    database,
    secrets,
    transport: config.mail === undefined ? createLogTransport(logger) : createSmtpTransport(config.mail),
    logger,
  });
  const ownerMails = createOwnerMails(mails);
  const accounts = createAccounts({
    config,
    database,
    logger,
    planOf: access.planOf,
    mails,
    apiAddress: () => apiAddress,
    standingOf: (user) => billing.standingOf(user),
    outbox,
    eraseHits: (redirectIds) => eraseHits(store, redirectIds),
    endSubscription: (userId) => billing.endSubscription(userId),
    rateLimits,
  });
  // Only this process writes to the embedded store.
  const usage = createUsageReader(store, { hearsOfHits: store.kind === 'embedded' });
  const certificates = await createCertificates({
    database,
    outbox,
    secret,
    previousSecrets: secrets.previous,
    acme: config.acme,
    target: config.publicTarget,
    certificatesDir: config.certificatesDir,
    dnsServers,
    metrics,
    logger,
  });
  const redirects = createRedirects({
    database,
    outbox,
    dnsServers,
    allowLocalhost: config.allowLocalhostDomains,
    usageOf: (ids) => usage.usageOf(ids),
    certificatesOf: (hosts) => certificates.recordsOf(hosts),
    ownerMails,
    logger,
  });
  const rules = createRules({ database, outbox, store, redirects: redirects.service, places, secret });
  const paths = createPaths({ database, outbox, store, redirects: redirects.service });
  const imports = createImports({
    database,
    outbox,
    redirects: redirects.service,
    batches: redirects.batches,
    mergePaths: paths.merge,
    planOf: access.planOf,
    logger,
  });
  const plans = createPlans({
    database,
    store,
    outbox,
    catalogue,
    access,
    extendRetention: (redirectIds, days) => extendRetention(store, redirectIds, days),
    ownerMails,
    logger,
  });
  const analytics = createAnalytics({
    store,
    redirects: redirects.service,
    secret,
    retentionDaysOf: plans.retentionDaysOf,
    isRecordingPaused: plans.isRecordingPaused,
    ruleNamesOf: (redirectId) => ruleRepository.namesOfRedirect(database, redirectId),
    pathEntries: paths.entries,
  });
  const billing = createBillingByProvider(chosen, {
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
  const webhooks = createWebhooks({
    database,
    secrets,
    allowPrivate: config.webhookAllowPrivate,
    dnsServers,
    metrics,
    logger,
  });
  const operator = createOperator({
    database,
    outbox,
    mails,
    isOperator: accounts.isOperator,
    onStandingChanged: () => accounts.standingChanged(),
    releaseDomain,
  });
  const areas: readonly Area[] = [
    accounts,
    redirects,
    rules,
    paths,
    imports,
    analytics,
    plans,
    billing,
    webhooks,
    certificates,
    operator,
  ];
  const jobs = [
    ...areas.flatMap((area) => area.jobs),
    ...publishing.jobs,
    createIdempotencyCleaning({ database, logger }),
  ];

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
      rulesets: async () => refuseUnready(publishing.problem()),
    },
    sideProbes: {
      analytics: async () => {
        refuseUnready(store.problem);
        await store.ping();
      },
      ...redisProbes(publishing),
    },
    authenticate: authenticateUnlessHeld(accounts.authenticate, refusal),
    refusal,
    rateLimit: {
      defaultPlan: catalogue.defaultPlan,
      multiplier: config.rateLimitMultiplier,
      store: rateLimits.open('requests', WINDOW_SECONDS),
    },
    idempotency: createIdempotencyStore({ database, secrets }),
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    clientIpHeader: config.clientIpHeader,
    console: config.hasConsole ? await openConsole(config) : undefined,
    areas: [
      ...areas.flatMap((area) => area.routes),
      ...publishing.routesFor(accounts.isOperator, (tx, user, { head, previous }) =>
        operatorLog.add(tx, user, { action: 'epoch.begin', subject: head, detail: { previous } }),
      ),
    ],
  });

  const { retire, stop } = createTwoStepStop({
    async retire() {
      publishing.retire();
      // Changes of the last requests are still published.
      const answering = allEnded([app.close(), ...jobs.map((job) => job.stop())]);
      await allEnded([answering, answering.catch(() => undefined).then(() => publishing.stop())]);
    },
    close() {
      rateLimits.close();
      return allEnded([database.close(), store.close()]);
    },
  });

  return {
    accounts: {
      // The first token of a database that may be given up would be shown in vain.
      bootstrap: ({ generate }) => accounts.bootstrap({ generate: generate && refusal() === undefined }),
      createSignInCode: accounts.createSignInCode,
    },
    refusal,
    waitsForRoom: false,
    createFeed: publishing.createFeed,
    store,
    metrics,
    backupEntries: () => embeddedEntries({ database, store, dataDir: config.dataDir }),
    takeReport: publishing.takeReport,
    noteHits: (redirectIds) => usage.noteHits(redirectIds),
    async start() {
      await warnOfLostPlans({ database, catalogue, logger });
      publishing.start();
      // Jobs send webhooks and change accounts. They must not do so for a database that may be the wrong one.
      publishing.onceAllowed(() => {
        for (const job of jobs) job.start();
      });
      const address = await listen(app, { host: config.apiHost, port: config.apiPort });
      apiAddress = config.publicApiUrl ?? reachableUrl(address);
      return address;
    },
    retire,
    stop,
  };
}

/** Reads the files of the console, which lie beside the compiled control plane. */
async function openConsole({ publicApiUrl, signup }: ControlplaneConfig): Promise<ConsoleOptions> {
  const basePath = new URL(publicApiUrl ?? 'http://localhost').pathname.replace(/\/$/, '');
  const folder = path.join(packageRoot(), 'dist', 'controlplane', 'console');
  return { basePath, signup, files: await readConsoleFiles(folder) };
}

/** Answers for a control plane whose database was lost. */
function holdFor(
  { message, waitsForRoom }: EmbeddedDatabaseLost,
  deps: Pick<HeldControlplaneDeps, 'config' | 'store' | 'logger'>,
): Controlplane {
  const waysOn = waitsForRoom ? WAITS : WAYS_ON;
  const reason = `${message}. The redirects that were saved last are served, and nothing can be changed. ${waysOn}`;
  return createHeldControlplane({ ...deps, reason, waitsForRoom });
}

/**
 * Returns whether data planes may read rulesets over HTTP. Only those of this installation know a key that was generated.
 * Own data planes use HTTP where rulesets come through Redis.
 */
function hasRemoteDataplanes(
  { secretKey, redisUrl }: ControlplaneConfig,
  hasOwnDataplanes: boolean,
): boolean {
  return secretKey !== undefined || (hasOwnDataplanes && redisUrl !== undefined);
}

function redisProbes({ redis }: Publishing): Probes {
  if (redis === undefined) return {};
  return { redis: () => redis.ping(), publishing: async () => refuseUnready(redis.delay()) };
}

/** Returns the reaction to a missing or damaged embedded database. */
function whenUnusable(saved: ControlplaneDeps['saved'], acceptsAnyLoss: boolean): WhenUnusable {
  if (acceptsAnyLoss) return 'replace';
  return saved === 'unreadable' || (saved?.hosts ?? 0) > 0 ? 'refuse' : 'create';
}

function diskProblem(problem: string | undefined): string | undefined {
  return problem && `DATA_DIR cannot be written to: ${problem}. Changes are refused until there is room.`;
}

function refuseUnready(reason: string | undefined): void {
  if (reason !== undefined) throw new UnreadyError(reason);
}
