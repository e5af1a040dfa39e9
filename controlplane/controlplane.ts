import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ControlplaneConfig } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/environment.js';
import { loadSecretKey } from '../shared/config/secret-key.js';
import type { HitSink } from '../shared/hits/hit-batch.js';
import type { RulesetFeed } from '../shared/ruleset/ruleset-feed.js';
import { openPlaces } from '../shared/visitor/place.js';
import { type Accounts, createAccounts } from './accounts/accounts.js';
import { createAnalyticsRoutes } from './analytics/analytics-routes.js';
import { createAnalyticsService } from './analytics/analytics-service.js';
import { createUsageReader } from './analytics/usage.js';
import { buildApp } from './app.js';
import type { AnalyticsStore } from './clickhouse/analytics-store.js';
import { openAnalyticsStore } from './clickhouse/client.js';
import { migrateAnalyticsStore } from './clickhouse/migrate.js';
import { AnalyticsStoreError } from './clickhouse/store-error.js';
import { openDatabase } from './database/open-database.js';
import { createDomainVerifier } from './domains/domain-verification.js';
import { createIdempotencyStore } from './idempotency/idempotency-store.js';
import { createHitWriter } from './ingest/hit-writer.js';
import { registerHitWriterMetrics } from './ingest/hit-writer-metrics.js';
import { createRejectedBatches } from './ingest/rejected-batches.js';
import { createRulesetOutbox } from './publisher/ruleset-outbox.js';
import { createRulesetPublisher } from './publisher/ruleset-publisher.js';
import { createRulesetRepository } from './publisher/ruleset-repository.js';
import { createDomainRecheck } from './redirects/domain-recheck.js';
import { redirectRepository } from './redirects/redirect-repository.js';
import { createRedirectRoutes } from './redirects/redirect-routes.js';
import { createRedirectService } from './redirects/redirect-service.js';
import { createVerificationService } from './redirects/verification-service.js';
import { createRules } from './rules/rules.js';

export interface ControlplaneDeps {
  readonly config: ControlplaneConfig;
  readonly logger: Logger;
  readonly version: string;
}

export interface Controlplane {
  readonly accounts: Accounts;
  /** Rulesets for a data plane that this process feeds itself. */
  createFeed(): RulesetFeed;
  /** Takes the hits of a data plane that has no queue in between. */
  readonly hitSink: HitSink;
  /**
   * Begins to listen and to work in the background. Resolves to where the API listens.
   *
   * @throws {ConfigError} when the port cannot be had
   */
  start(): Promise<{ readonly host: string; readonly port: number }>;
  /** Answers what is under way, then closes everything. */
  stop(): Promise<void>;
}

/**
 * Builds the control plane from its configuration: the one place where its parts are made and meet. Opens the
 * databases and brings their schemas up to date; nothing listens yet.
 */
export async function createControlplane({
  config,
  logger,
  version,
}: ControlplaneDeps): Promise<Controlplane> {
  const secret = await loadSecretKey(config);
  const places = await openPlaces(config);
  // Both take their time and do not need each other; if one fails the other is closed again.
  const [database, store] = await openBoth(openDatabase(config, logger), openAnalytics(config, logger));
  const metrics = new Registry();

  const accounts = createAccounts({ config, database, logger });
  const outbox = createRulesetOutbox(database);
  const publisher = createRulesetPublisher({ outbox, repository: createRulesetRepository(database), logger });
  const redirectDeps = { database, outbox, repository: redirectRepository };
  const redirects = createRedirectService(redirectDeps);
  const verifier = createDomainVerifier(config.dnsServers && { dnsServers: config.dnsServers });
  const verification = createVerificationService({ ...redirectDeps, verifier });
  const recheck = createDomainRecheck({ database, repository: redirectRepository, verification, logger });
  const usage = createUsageReader(store);
  const rules = createRules({ database, outbox, store, redirects, places, secret });

  const hitWriter = createHitWriter({
    store,
    rejected: createRejectedBatches(path.join(config.dataDir, 'hits', 'rejected')),
    logger,
  });

  registerHitWriterMetrics(metrics, hitWriter.stats);

  const app = await buildApp({
    logger,
    version,
    metrics,
    probes: { database: () => database.ping(), analytics: () => store.ping() },
    authenticate: accounts.authenticate,
    rateLimit: { defaultPlan: config.defaultPlan, multiplier: config.rateLimitMultiplier },
    idempotency: createIdempotencyStore({ database, secret }),
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    areas: [
      accounts.routes,
      createRedirectRoutes({ service: redirects, verification, usageOf: (ids) => usage.usageOf(ids) }),
      ...rules.routes,
      createAnalyticsRoutes({ analytics: createAnalyticsService({ store, redirects }) }),
    ],
  });

  return {
    accounts,
    createFeed: () => publisher.createFeed(),
    hitSink: {
      async deliver(encoded) {
        await hitWriter.write(encoded);
      },
    },
    async start() {
      recheck.start();
      return listen(app, { host: config.apiHost, port: config.apiPort });
    },
    async stop() {
      await Promise.all([app.close(), recheck.stop(), publisher.stop()]);
      await Promise.all([database.close(), store.close()]);
    },
  };
}

async function listen(app: FastifyInstance, target: { host: string; port: number }) {
  try {
    await app.listen(target);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    throw new ConfigError(
      `${target.host}:${target.port} ${reason}: choose another API_PORT or API_HOST, or stop what has it`,
    );
  }
  const address = app.server.address();
  return {
    host: target.host,
    port: typeof address === 'object' && address !== null ? address.port : target.port,
  };
}

async function openAnalytics(config: ControlplaneConfig, logger: Logger): Promise<AnalyticsStore> {
  const store = await openAnalyticsStore(config);
  try {
    await migrateAnalyticsStore(store, logger);
  } catch (error) {
    await store.close();
    if (!(error instanceof AnalyticsStoreError) || error.failure !== 'unavailable') throw error;
    throw new ConfigError(`CLICKHOUSE_URL names a server that cannot be reached: ${error.message}`, {
      cause: error,
    });
  }
  return store;
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
