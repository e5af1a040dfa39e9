import type { FastifyInstance } from 'fastify';

/** Sets the tag of all routes of a plugin that have none. Call it before the routes are added. */
export function useTag(app: Pick<FastifyInstance, 'addHook'>, tag: string): void {
  app.addHook('onRoute', ({ schema }) => {
    if (schema !== undefined) schema.tags ??= [tag];
  });
}
