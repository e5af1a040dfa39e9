import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { allEnded } from '../shared/async/all-ended.js';
import type { ControlplaneConfig } from '../shared/config/config.js';
import { loadSecretKeys } from '../shared/config/secret-key.js';
import { reachableUrl } from '../shared/process/reachable-url.js';
import type { DataplaneReport } from '../shared/ruleset/dataplane-report.js';
import type { RulesetSize } from '../shared/ruleset/replacement.js';
import type { RulesetFeed } from '../shared/ruleset/ruleset-feed.js';
import { openPlaces } from '../shared/visitor/place.js';
import type { Accounts } from './areas/accounts/public.js';
import { chooseProvider, createPlanAccess, warnOfLostPlans } from './areas/billing/public.js';
import { checkAuthorities } from './areas/certificates/public.js';
import { findDnsServers } from './areas/domains/public.js';
import { operatorLog } from './areas/operator/public.js';
import { loadPlanCatalogue } from './areas/plans/public.js';
import { connectAreas } from './connect-areas.js';
import { holdForLoss } from './held-controlplane.js';
import { buildApp } from './http/app.js';
import { openConsole } from './http/console/console-routes.js';
import { authenticateUnlessHeld } from './http/held-api.js';
import { createIdempotencyCleaning, createIdempotencyStore } from './http/idempotency/idempotency-store.js';
import { type ApiAddress, listen } from './http/listen.js';
import { openRateLimitStores } from './http/open-rate-limit-stores.js';
import { WINDOW_SECONDS } from './http/rate-limit-store.js';
import { openPublishing } from './publishing/publishing.js';
import { createRulesetOutbox } from './publishing/ruleset-outbox.js';
import { createProbes } from './readiness.js';
import type { BackupEntry } from './storage/backup/backup-entry.js';
import { embeddedEntries } from './storage/backup/embedded-entries.js';
import type { AnalyticsStore } from './storage/clickhouse/analytics-store.js';
import { registerPartsAside } from './storage/clickhouse/parts-aside.js';
import { openStorage } from './storage/open-storage.js';
import { createTwoStepStop } from './two-step-stop.js';

interface ControlplaneDeps {
  readonly config: ControlplaneConfig;
  readonly logger: Logger;
  readonly version: string;
  /** Ends the opening of databases. The process must then end, because the embedded PostgreSQL may stay half open. */
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
  /** Returns why nothing is published and nothing can be changed; undefined in normal operation. */
  refusal(): string | undefined;
  /** Whether this one serves only until the disk is writable again. A complete control plane can then be opened. */
  readonly waitsForRoom: boolean;
  /** Rulesets for a data plane that this process feeds itself. */
  createFeed(): RulesetFeed;
  /** The analytics store. Shared with in-process ingestion; closed by `stop()`. */
  readonly store: AnalyticsStore;
  /** Metrics that the API exposes to Prometheus. */
  readonly metrics: Registry;
  /** Entries of the embedded databases in a backup; undefined while the database is lost. */
  readonly backupEntries: (() => AsyncIterable<BackupEntry>) | undefined;
  /** Receives a report of a data plane that this process runs. */
  takeReport(report: DataplaneReport): void;
  /** Called after this process stored hits of these redirects. */
  noteHits(redirectIds: readonly string[]): void;
  /**
   * Begins to listen and to work in the background. Resolves to where the API listens.
   *
   * @throws {ConfigError} when the port cannot be had
   */
  start(): Promise<ApiAddress>;
  /** Answers the running requests and ends the background work. The store still accepts hits. */
  retire(): Promise<void>;
  /** Calls `retire()` unless it was called before, then closes everything. The first caller receives the errors. */
  stop(): Promise<void>;
}

/**
 * Opens the databases, migrates them, and composes the control plane. Nothing listens until `start`.
 *
 * @throws the error of a database that cannot be opened, or the reason of the signal
 */
export async function createControlplane(deps: ControlplaneDeps): Promise<Controlplane> {
  const { config, logger, version, signal, leaving, hasOwnDataplanes, saved, acceptsAnyLoss = false } = deps;
  // Configuration that this process refuses ends it before anything is opened.
  const provider = chooseProvider(config);
  const catalogue = await loadPlanCatalogue(config);
  const dnsServers = config.dnsServers && (await findDnsServers(config.dnsServers));
  const secrets = await loadSecretKeys(config);
  const places = await openPlaces(config);
  if (config.acme !== undefined) await checkAuthorities(config.acme);
  signal.throwIfAborted();
  const storage = await openStorage(config, logger, { signal, saved, acceptsAnyLoss });
  if ('loss' in storage) return holdForLoss(storage.loss, { config, store: storage.store, logger });

  const { database, store } = storage;
  const metrics = new Registry();
  registerPartsAside(metrics, () => store.partsAside);
  const access = createPlanAccess({ database, catalogue, provider: provider.provider, nowMs: Date.now });
  const rateLimits = await openRateLimitStores(config.redisUrl, logger);
  const outbox = createRulesetOutbox(database);
  const parts = { config, database, store, outbox, metrics, logger };
  const publishing = await openPublishing({
    ...parts,
    redisUrl: config.redisUrl,
    plansOf: access.plansOf,
    // Data planes elsewhere know no generated key. Own ones read over HTTP where rulesets come through Redis.
    secretsOfDataplanes: config.secretKey || (hasOwnDataplanes && config.redisUrl) ? secrets : undefined,
    saved: saved === 'unreadable' ? undefined : saved,
    acceptsAnyLoss,
  });
  const { refusal, createFeed, takeReport } = publishing;
  const { corsOrigins, trustedProxies, clientIpHeader } = config;
  let apiAddress = config.publicApiUrl ?? reachableUrl({ host: config.apiHost, port: config.apiPort });
  const { accounts, usage, routes, ...areas } = await connectAreas({
    ...parts,
    ...{ secrets, dnsServers, places, catalogue, access, provider, rateLimits },
    apiAddress: () => apiAddress,
  });
  const jobs = [...areas.jobs, ...publishing.jobs, createIdempotencyCleaning(database, logger)];
  const app = await buildApp({
    ...createProbes({ ...parts, publishing }),
    ...{ logger, version, metrics, leaving, refusal, corsOrigins, trustedProxies, clientIpHeader },
    authenticate: authenticateUnlessHeld(accounts.authenticate, refusal),
    rateLimit: {
      defaultPlan: catalogue.defaultPlan,
      multiplier: config.rateLimitMultiplier,
      store: rateLimits.open('requests', WINDOW_SECONDS),
    },
    idempotency: createIdempotencyStore({ database, secrets }),
    console: await openConsole(config),
    areas: [...routes, ...publishing.routesFor(accounts.isOperator, operatorLog.addEpoch)],
  });

  return {
    accounts: {
      // The first token of a database that may be given up would be shown in vain.
      bootstrap: ({ generate }) => accounts.bootstrap({ generate: generate && refusal() === undefined }),
      createSignInCode: accounts.createSignInCode,
    },
    ...{ refusal, createFeed, takeReport, store, metrics, waitsForRoom: false },
    backupEntries: () => embeddedEntries({ database, store, dataDir: config.dataDir }),
    noteHits: (redirectIds) => usage.noteHits(redirectIds),
    async start() {
      await warnOfLostPlans({ database, catalogue, logger });
      publishing.start();
      const address = await listen(app, { host: config.apiHost, port: config.apiPort });
      apiAddress = config.publicApiUrl ?? reachableUrl(address);
      // Jobs send webhooks and change accounts, so they wait until the database is known to be the right one. They
      // start after the API listens, because they would keep the embedded database busy before.
      for (const job of jobs) publishing.onceAllowed(() => job.start());
      return address;
    },
    ...createTwoStepStop({
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
    }),
  };
}
