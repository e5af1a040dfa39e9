import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';

/** Converts answers that Node would give itself, without our envelope. See {@link useWellFormedHeads}. */
export const nodeServerOptions = { requireHostHeader: false } as const;

/** Refuses request heads that Node lets pass or answers itself. Runs after the rate limit. */
export function useWellFormedHeads(app: FastifyInstance): void {
  // RFC 9110, section 10.1.1: unknown expectations may be ignored.
  app.server.on('checkExpectation', app.routing);
  app.addHook('onRequest', async ({ raw }) => requireWellFormedHead(raw));
}

function requireWellFormedHead({ httpVersion, rawHeaders }: FastifyRequest['raw']): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new AppError('INVALID_REQUEST', { message: 'HTTP/1.1 and HTTP/1.0 are spoken here.' });
  }
  // RFC 9112, section 3.2: of several, a proxy in front may have gone by another one.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw new AppError('INVALID_REQUEST', { message: 'A request needs exactly one Host header.' });
  }
}
