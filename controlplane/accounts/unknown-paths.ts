import type { FastifyPluginAsync } from 'fastify';
import { nothingAt } from '../errors/app-error.js';

/**
 * Answers 404 to paths under `/auth` that there are not, before a body is read, and does not count them: session
 * libraries ask for paths of their own ten times a second, and would use up the limit of the user's address.
 */
export const unknownAuthPaths: FastifyPluginAsync = async (app) => {
  for (const url of ['/auth', '/auth/*']) {
    app.all(url, {
      config: { public: true, uncounted: true },
      schema: { hide: true },
      onRequest: async (request) => {
        throw nothingAt(request);
      },
      handler: async () => undefined,
    });
  }
};
