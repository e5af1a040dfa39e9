import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { Authenticate } from './authentication.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route may change something while nothing may be published. */
    worksWhileHeld?: boolean;
  }
}

/** Returns why nothing is published; undefined while publishing is allowed. */
export type Refusal = () => string | undefined;

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses changes while the database differs from the ruleset that visitors get. */
export function useHeldWrites(app: FastifyInstance, refusal: Refusal): void {
  app.addHook('onRequest', async ({ method, routeOptions }) => {
    if (READS.has(method) || routeOptions.config.worksWhileHeld === true) return;
    if (refusal() !== undefined) throw heldError();
  });
}

/**
 * Returns an `Authenticate` that does not call unknown tokens invalid while publishing is refused, because another
 * database may know them.
 */
export function authenticateUnlessHeld(authenticate: Authenticate, refusal: Refusal): Authenticate {
  return async (token, caller) => {
    const identity = await authenticate(token, caller);
    return 'refusal' in identity && refusal() !== undefined ? { refusal: heldError() } : identity;
  };
}

export function heldError(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message:
      'The control plane takes no changes: its database does not hold the redirects that are served. Visitors are not affected. GET /readyz says why and what to do.',
  });
}
