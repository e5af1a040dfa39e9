import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ANY_ORIGIN = '*';

/** Methods and headers for pages of other origins, and the answer headers that they may read. */
const SHARED: FastifyCorsOptions = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'Accept',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'X-Requested-With',
    'X-Request-Id',
  ],
  exposedHeaders: [
    'ETag',
    'Idempotent-Replayed',
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Request-Id',
    'Content-Disposition',
    'Location',
    'WWW-Authenticate',
  ],
  maxAge: 600,
  // Every OPTIONS request gets this answer, because the plugin's own refusal has another error format.
  strictPreflight: false,
};

/**
 * Lets pages of the configured origins call the API. A listed origin is reflected and may send credentials (cookies
 * and HTTP authentication; access tokens in `Authorization` need no such permission). `*` allows all other origins,
 * without credentials.
 */
export async function useCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(cors, {
    delegator: (request, callback) => callback(null, optionsFor(request.headers.origin, origins)),
  });
}

/** Sets the headers that let the page read an answer without hooks. */
export function setCorsHeaders(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): void {
  reply.header('Vary', 'Origin');
  const allowed = allowedOrigin(origin, origins);
  if (allowed === undefined) return;
  reply
    .header('Access-Control-Allow-Origin', allowed)
    .header('Access-Control-Expose-Headers', String(SHARED.exposedHeaders));
  if (allowed !== ANY_ORIGIN) reply.header('Access-Control-Allow-Credentials', 'true');
}

/** Returns whether a request is a preflight. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

function optionsFor(origin: string | undefined, origins: readonly string[]): FastifyCorsOptions {
  const allowed = allowedOrigin(origin, origins);
  // An empty list refuses the page, but answers its preflight.
  if (allowed === undefined) return { ...SHARED, origin: [] };
  return { ...SHARED, origin: [allowed], credentials: allowed !== ANY_ORIGIN };
}

function allowedOrigin(origin: string | undefined, origins: readonly string[]): string | undefined {
  if (origin !== undefined && origin !== ANY_ORIGIN && origins.includes(origin)) return origin;
  return origins.includes(ANY_ORIGIN) ? ANY_ORIGIN : undefined;
}
