import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Time for the body to arrive. Default: 30 s. */
    bodyTimeoutMs?: number;
  }
}

const HEAD_TIMEOUT_MS = 30_000;
const BODY_TIMEOUT_MS = 30_000;
/** Time for bodies of some ten MiB: 64 MiB arrive at 2 Mbit/s. */
export const LARGE_BODY_TIMEOUT_MS = 5 * 60_000;
/** Bounds `bodyTimeoutMs`: the server knows one timeout for all requests. */
export const MAX_BODY_TIMEOUT_MS = 15 * 60_000;

/** Closes connections whose requests take too long to arrive. */
export function useBodyTimeouts(app: FastifyInstance): void {
  app.server.headersTimeout = HEAD_TIMEOUT_MS;
  app.addHook('onRequest', async ({ raw, headers, routeOptions }) => {
    if (raw.complete || (headers['content-length'] ?? '0') === '0') {
      if (headers['transfer-encoding'] === undefined) return;
    }
    const timeout = setTimeout(() => raw.destroy(), routeOptions.config.bodyTimeoutMs ?? BODY_TIMEOUT_MS);
    timeout.unref();
    const end = () => clearTimeout(timeout);
    raw.once('end', end).once('close', end);
  });
}
