import type { FastifyInstance } from 'fastify';

/** Makes the routes of `app` take forms, which browsers send in their own way. No other route takes them. */
export function takeForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 2048 },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
}
