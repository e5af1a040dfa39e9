import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ControlplaneConfig } from '../shared/config/config.js';
import type { RulesetFeed, RulesetFeedListener } from '../shared/ruleset/ruleset-feed.js';
import { DEFAULT_EMAIL } from './areas/accounts/public.js';
import { AppError, errorBody } from './errors/app-error.js';
import { sendError } from './http/error-answers.js';
import { listen } from './http/listen.js';
import { WAYS_ON } from './publishing/publication-guard.js';
import type { AnalyticsStore } from './storage/clickhouse/analytics-store.js';
import { createRefusingStore } from './storage/clickhouse/refusing-store.js';
import type { EmbeddedDatabaseLost } from './storage/postgres/embedded-database-lost.js';
import { createTwoStepStop } from './two-step-stop.js';

export interface HeldControlplaneDeps {
  readonly config: ControlplaneConfig;
  readonly store: AnalyticsStore;
  readonly logger: Logger;
  /** Problem of the database and ways on, for an operator. */
  readonly reason: string;
  /** Whether another attempt may succeed when there is room on the disk. */
  readonly waitsForRoom: boolean;
}

/** Text for operators: the state ends without their help. */
const WAITS = 'This ends by itself when the disk can be written to.';

/** Message for callers of the API. `/readyz` has the reason for operators. */
const NO_ROOM =
  'The control plane waits until its disk can be written to. Visitors are not affected. GET /readyz says why.';
const LOST =
  'The database of the control plane is missing or damaged. Visitors are not affected. GET /readyz says why and what to do.';

/**
 * Creates a replacement of the control plane for the time without a usable database. Visitors get the saved ruleset,
 * and their hits are counted. The API answers everything with 503.
 */
export function createHeldControlplane({
  config,
  store,
  logger,
  reason,
  waitsForRoom,
}: HeldControlplaneDeps) {
  logger.error(reason);
  const metrics = new Registry();
  const app = buildHeldApp(logger, metrics, { reason, message: waitsForRoom ? NO_ROOM : LOST });
  return {
    accounts: {
      bootstrap: async () => ({ email: config.bootstrapEmail ?? DEFAULT_EMAIL, created: false }),
      createSignInCode: async () => undefined,
    },
    createFeed: () => createHeldFeed(reason),
    store,
    metrics,
    backupEntries: undefined,
    takeReport() {},
    noteHits() {},
    refusal: () => reason,
    waitsForRoom,
    start: () => listen(app, { host: config.apiHost, port: config.apiPort }),
    ...createTwoStepStop({ retire: () => app.close(), close: () => store.close() }),
  };
}

/** Replaces a control plane whose embedded database was lost. */
export function holdForLoss(
  { message, waitsForRoom }: EmbeddedDatabaseLost,
  deps: Pick<HeldControlplaneDeps, 'config' | 'store' | 'logger'>,
) {
  const waysOn = waitsForRoom ? WAITS : WAYS_ON;
  const reason = `${message}. The redirects that were saved last are served, and nothing can be changed. ${waysOn}`;
  return createHeldControlplane({ ...deps, reason, waitsForRoom });
}

/**
 * Replaces the control plane while DATA_DIR is not writable. The process then cannot lock the folder or open a database
 * in it.
 */
export function createWaitingControlplane(
  config: ControlplaneConfig,
  logger: Logger,
  problem: string,
): ReturnType<typeof createHeldControlplane> {
  const reason = `${problem}. The redirects that were saved last are served, and nothing can be changed. ${WAITS}`;
  const store = createRefusingStore(reason);
  return createHeldControlplane({ config, store, logger, reason, waitsForRoom: true });
}

function buildHeldApp(
  logger: Logger,
  metrics: Registry,
  { reason, message }: { readonly reason: string; readonly message: string },
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  });
  collectDefaultMetrics({ register: metrics });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((_request, reply) => {
    const refusal = new AppError('SERVICE_UNAVAILABLE', { message });
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

/** Creates a feed that delivers no ruleset. Data planes keep the ruleset that they have, and report the reason. */
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
