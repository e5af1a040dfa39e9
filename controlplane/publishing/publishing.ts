import type { FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { allEnded } from '../../shared/async/all-ended.js';
import type { SecretKeys } from '../../shared/config/secret-key.js';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import type { RulesetSize } from '../../shared/ruleset/replacement.js';
import type { RulesetFeed } from '../../shared/ruleset/ruleset-feed.js';
import type { IsOperator } from '../http/current-user.js';
import type { BackgroundWork } from '../jobs/background-work.js';
import type { PlansOf } from '../plan.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import type { Database } from '../storage/postgres/database.js';
import { registerDataplaneMetrics } from './dataplane-metrics.js';
import { createLocalDataplanes } from './dataplane-reports.js';
import { createDataplaneRoutes } from './dataplane-routes.js';
import { createDataplaneWatch } from './dataplane-watch.js';
import { createEndedProducers } from './ended-producers.js';
import { createEpochRoutes, type RecordEpoch } from './epoch-routes.js';
import { createInvalidLog } from './invalid-log.js';
import { readProducerAccounts } from './producer-accounts.js';
import { createPublicationGuard, type PublicationGuard, PublicationRefused } from './publication-guard.js';
import { createRulesetBuilder } from './ruleset-builder.js';
import { createRulesetHistory } from './ruleset-history.js';
import type { RulesetOutbox } from './ruleset-outbox.js';
import { createRulesetPublisher } from './ruleset-publisher.js';
import { createRulesetRepository } from './ruleset-repository.js';
import { createRulesetDocuments, createRulesetRoutes } from './ruleset-routes.js';

export interface PublishingDeps {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly outbox: RulesetOutbox;
  readonly plansOf: PlansOf;
  readonly redisUrl: string | undefined;
  /**
   * Authorises data planes that read rulesets over HTTP. Undefined: no data plane can, because none knows the secret.
   */
  readonly secretsOfDataplanes: SecretKeys | undefined;
  /** The saved ruleset of data planes on this machine, if any. */
  readonly saved: RulesetSize | undefined;
  /** Whether the database may replace any ruleset that is served. */
  readonly acceptsAnyLoss: boolean;
  readonly metrics: Registry;
  readonly logger: Logger;
}

/** Publishes committed changes to data planes, and receives their reports. */
export interface Publishing {
  /** Reason for operators why nothing is published; undefined while publishing is allowed. */
  refusal(): string | undefined;
  /** Returns why reachable data planes lack the last changes; undefined while they have them. */
  problem(): string | undefined;
  /** Redis as `/readyz` sees it; undefined without Redis. */
  readonly redis: { ping(): Promise<void>; delay(): string | undefined } | undefined;
  /** Returns a feed for a data plane that this process runs itself. */
  createFeed(): RulesetFeed;
  /** Takes a report of a data plane that this process runs itself. */
  takeReport(report: DataplaneReport): void;
  routesFor(isOperator: IsOperator, recordEpoch: RecordEpoch): readonly FastifyPluginAsync[];
  readonly jobs: readonly BackgroundWork[];
  /** Runs `begin` once, as soon as publishing is allowed. */
  onceAllowed(begin: () => void): void;
  start(): void;
  /** Ends an unfinished build of a ruleset. Changes are still published. */
  retire(): void;
  stop(): Promise<void>;
}

/** @throws when the database cannot be compared with the saved ruleset */
export async function openPublishing(deps: PublishingDeps): Promise<Publishing> {
  const { database, store, outbox, plansOf, redisUrl, metrics, logger } = deps;
  const repository = createRulesetRepository(database, plansOf, createInvalidLog(logger));
  const builder = createRulesetBuilder({ repository, logger });
  const history = createRulesetHistory(database);
  const guard = createPublicationGuard({ history, acceptsAnyLoss: deps.acceptsAnyLoss, logger });
  const refusal = () => guard.refusal;
  if (deps.saved !== undefined) await admitSaved(guard, deps.saved);
  const publisher = createRulesetPublisher({ outbox, repository, refusal, logger });
  const redis =
    redisUrl === undefined
      ? undefined
      : (await import('./redis-publishing.js')).openRedisPublishing(redisUrl, {
          ...{ outbox, repository, builder, guard, metrics, logger },
        });
  const localDataplanes = createLocalDataplanes();
  const reports = redis?.reports ?? localDataplanes;
  const overview = { reports, readHead: () => repository.readHead() };
  registerDataplaneMetrics(metrics, { ...overview, logger });

  function rulesetRoutes(secrets: SecretKeys): FastifyPluginAsync {
    const documents = createRulesetDocuments({ repository, builder });
    return createRulesetRoutes({ documents, refusal, secrets });
  }

  return {
    refusal,
    problem: () => guard.refusal ?? publisher.problem,
    redis,
    createFeed: () => publisher.createFeed(),
    takeReport: (report) => localDataplanes.take(report),
    routesFor: (isOperator, recordEpoch) => [
      createDataplaneRoutes({ ...overview, isOperator, readProducers: () => readProducerAccounts(store) }),
      createEpochRoutes({ guard, isOperator, recordEpoch }),
      ...(deps.secretsOfDataplanes === undefined ? [] : [rulesetRoutes(deps.secretsOfDataplanes)]),
    ],
    jobs: [createDataplaneWatch({ reports, guard, logger }), createEndedProducers({ store, logger })],
    onceAllowed: (begin) => guard.onceAllowed(begin),
    start: () => redis?.start(),
    retire: () => builder.stop(),
    stop: () => allEnded([publisher.stop(), redis?.stop()]),
  };
}

/** Compares the database with the saved ruleset of data planes on this machine. The guard keeps a refusal. */
async function admitSaved(guard: PublicationGuard, { version, hosts }: RulesetSize): Promise<void> {
  try {
    await guard.admit({ place: 'the ruleset saved in DATA_DIR', version, hosts: async () => hosts });
  } catch (error) {
    if (!(error instanceof PublicationRefused)) throw error;
  }
}
