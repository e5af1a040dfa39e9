import { randomUUID } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import {
  type Authenticate,
  requireDeclaredAccess,
  useAuthentication,
  useAuthorization,
} from './authentication.js';
import { MAX_BODY_TIMEOUT_MS, useBodyTimeouts } from './body-timeouts.js';
import { type CallerAddressOptions, createCallers, useCallers } from './caller-address.js';
import { type ConsoleOptions, useIndex } from './console/console-routes.js';
import { setCorsHeaders, useCors } from './cors.js';
import { refuseMalformedHttp, sendError, useErrorAnswers } from './error-answers.js';
import { useForcedChanges } from './forced-changes.js';
import { type Refusal, useHeldWrites } from './held-api.js';
import { type IdempotencyStore, useIdempotency } from './idempotency.js';
import { useJsonBodies } from './json-bodies.js';
import { useLazySerialization } from './lazy-schemas.js';
import { useOpenApi } from './openapi.js';
import { type Probes, useOperations } from './operations.js';
import { createRateLimit, type RateLimitOptions } from './rate-limit.js';
import { useRequestValidation } from './request-validation.js';
import { nodeServerOptions, useWellFormedHeads } from './well-formed-heads.js';

const BODY_LIMIT_BYTES = 1024 * 1024;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_PARAM_LENGTH = 512;
/** Maximum time to answer running requests once the app closes, and for clients to finish sending theirs. */
const CLOSE_GRACE_MS = 2_000;

export interface AppDeps extends CallerAddressOptions {
  readonly logger: Logger;
  readonly version: string;
  readonly metrics: Registry;
  /** Probes that must succeed for readiness, by name. */
  readonly probes: Probes;
  /** Probes that are shown but do not affect readiness. */
  readonly sideProbes?: Probes;
  /** Aborted when the process is about to stop. */
  readonly leaving?: AbortSignal | undefined;
  readonly authenticate: Authenticate;
  /** Returns why nothing can be changed, or undefined. Default: always undefined. */
  readonly refusal?: Refusal;
  readonly rateLimit: RateLimitOptions;
  readonly idempotency: IdempotencyStore;
  /** Origins that browsers may call from; `*` for any. */
  readonly corsOrigins: readonly string[];
  /** The web console. Undefined: not served. */
  readonly console?: ConsoleOptions | undefined;
  /** The areas of the API, in the order of the documentation. */
  readonly areas: readonly FastifyPluginAsync[];
}

/**
 * Builds the API from its parts. The hooks run in this order: caller and authentication, rate limit, permission,
 * validation. Then the route of the area runs.
 */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const callers = createCallers(deps);
  const rateLimit = createRateLimit({ ...deps.rateLimit, callerKeyOf: callers.keyOf });
  const app: FastifyInstance = Fastify({
    loggerInstance: quietStart(deps.logger) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    http: nodeServerOptions,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: MAX_BODY_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    trustProxy: deps.trustedProxies.length === 0 ? false : deps.trustedProxies.flatMap(proxyRanges),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
    // No hook runs for a request with an unreadable URL.
    frameworkErrors: (error, request, reply) => {
      setGeneralHeaders(request, reply);
      setCorsHeaders(request, reply, deps.corsOrigins);
      void rateLimit.count(request, reply).then(
        (refusal) => sendError(refusal ?? error, request, reply),
        (failure: unknown) => sendError(failure, request, reply),
      );
    },
    clientErrorHandler: (error, socket) =>
      refuseMalformedHttp(error, socket, (address) => rateLimit.countUnreadable(address)),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });

  app.addHook('onRequest', async (request, reply) => setGeneralHeaders(request, reply));
  const refuseUnmatched = useErrorAnswers(app);
  useCallers(app, callers);
  useJsonBodies(app);
  useAuthentication(app, deps.authenticate);
  app.decorateRequest('rateLimitRefusal', undefined);
  app.addHook('onRequest', async (request, reply) => {
    request.rateLimitRefusal = await rateLimit.count(request, reply);
  });
  useWellFormedHeads(app);
  await useCors(app, deps.corsOrigins);
  // This hook follows CORS, so that pages of other origins can read the 429 and its `Retry-After`.
  app.addHook('onRequest', async ({ rateLimitRefusal }) => {
    if (rateLimitRefusal !== undefined) throw rateLimitRefusal;
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) refuseUnmatched(request, reply);
  });
  useAuthorization(app);
  useBodyTimeouts(app);
  if (deps.refusal !== undefined) useHeldWrites(app, deps.refusal);
  useRequestValidation(app);
  useLazySerialization(app);
  useForcedChanges(app);
  useIdempotency(app, deps.idempotency);
  await useOpenApi(app, { version: deps.version });
  useIndex(app, { version: deps.version, console: deps.console });

  boundClosing(app);
  requireDeclaredAccess(app);
  useOperations(app, deps);
  for (const area of deps.areas) await app.register(area);
  await app.ready();
  return app;
}

/** Fastify logs only its address at the level `info`; the process logs it itself. */
function quietStart(logger: Logger): Logger {
  return logger.level === 'info' ? logger.child({}, { level: 'warn' }) : logger;
}

function setGeneralHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
}

/** Closing waits for running requests, and a client may take for ever to send one. */
function boundClosing(app: FastifyInstance): void {
  let cut: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
  });
  app.addHook('onClose', async () => clearTimeout(cut));
}

/** Fastify refuses a range of all addresses, but accepts its halves. */
function proxyRanges(range: string): string[] {
  if (!range.endsWith('/0')) return [range];
  return range.includes(':') ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1'];
}
