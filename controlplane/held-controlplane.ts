import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ControlplaneConfig } from '../shared/config/config.js';
import type { RulesetFeed, RulesetFeedListener } from '../shared/ruleset/ruleset-feed.js';
import { DEFAULT_EMAIL } from './accounts/bootstrap.js';
import type { AnalyticsStore } from './clickhouse/analytics-store.js';
import { errorBody } from './errors/app-error.js';
import { listen } from './listen.js';
import { sendError } from './plugins/error-answers.js';
import { heldError } from './plugins/held-api.js';
import { createTwoStepStop } from './two-step-stop.js';

export interface HeldControlplaneDeps {
  readonly config: ControlplaneConfig;
  readonly store: AnalyticsStore;
  readonly logger: Logger;
  /** What happened to the database and how to go on, for an operator. */
  readonly reason: string;
}

/**
 * Stands in for the control plane while its database is lost: visitors are served what was saved, and counted. The API
 * refuses everything with 503.
 */
export function createHeldControlplane({ config, store, logger, reason }: HeldControlplaneDeps) {
  logger.error(reason);
  const metrics = new Registry();
  const app = buildHeldApp(logger, metrics, reason);
  return {
    accounts: { bootstrap: async () => ({ email: config.bootstrapEmail ?? DEFAULT_EMAIL, created: false }) },
    createFeed: () => createHeldFeed(reason),
    store,
    metrics,
    backupEntries: undefined,
    takeReport() {},
    refusal: () => reason,
    start: () => listen(app, { host: config.apiHost, port: config.apiPort }),
    ...createTwoStepStop({ retire: () => app.close(), close: () => store.close() }),
  };
}

function buildHeldApp(logger: Logger, metrics: Registry, reason: string): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  });
  collectDefaultMetrics({ register: metrics });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((_request, reply) => {
    const refusal = heldError();
    return reply.code(refusal.status).send(errorBody(refusal));
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) =>
    reply.code(503).send({ ready: false, parts: { database: false }, reasons: { database: reason } }),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
  return app;
}

/** A feed that has nothing to deliver: data planes go on with what they have, and say why. */
function createHeldFeed(reason: string): RulesetFeed {
  let listener: RulesetFeedListener | undefined;
  const explain = () => listener?.onProblem(reason);
  return {
    start(to) {
      listener = to;
      explain();
    },
    requestSnapshot: explain,
    stop() {
      listener = undefined;
    },
  };
}
