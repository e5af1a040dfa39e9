import type { FastifyInstance, FastifySchema } from 'fastify';
import { type TObject, Type } from 'typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route changes the answers of one redirect to visitors. Such a route accepts `force`. */
    checksExamples?: boolean;
  }
}

/** Query parameter of changes that may break examples. */
export const ForceSchema = Type.Optional(
  Type.Boolean({
    description:
      'Makes the change although it breaks examples of the redirect. Without it such a change gets 409, and nothing is changed.',
  }),
);

/**
 * Adds `force` to the routes that check examples. Stores `force=true` in the user of the request, which the change
 * receives.
 */
export function useForcedChanges(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.checksExamples !== true) return;
    const schema = (route.schema ?? {}) as FastifySchema & { querystring?: Partial<TObject> };
    const properties = { ...schema.querystring?.properties, force: ForceSchema };
    route.schema = { ...schema, querystring: { ...schema.querystring, type: 'object', properties } };
  });

  app.addHook('preHandler', async (request) => {
    const { force } = Object(request.query) as { force?: unknown };
    if (force === true && 'user' in request.identity) {
      request.identity = { user: { ...request.identity.user, mayBreakExamples: true } };
    }
  });
}
