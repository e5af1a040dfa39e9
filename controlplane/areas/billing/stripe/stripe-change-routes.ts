import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../../errors/app-error.js';
import { useErrorPages } from '../../../http/pages/error-pages.js';
import type { StripeChanges } from './stripe-changes.js';

const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

/** Redirects browsers to the page where Stripe changes a plan. Anyone who has the address can use it. */
export function createStripeChangeRoutes(
  changes: StripeChanges,
  dashboardUrl: string | undefined,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    useErrorPages(app, { isSandbox: false, dashboardUrl });
    app.get(
      '/stripe/changes/:id',
      { config: { public: true }, schema: { hide: true, params } },
      async (request, reply) => {
        const address = await changes.follow(request.params.id);
        if (address === undefined) {
          throw new AppError('NOT_FOUND', { message: 'There is no such page, or no longer.' });
        }
        return reply
          .header('Cache-Control', 'no-store')
          .header('Referrer-Policy', 'no-referrer')
          .redirect(address, 303);
      },
    );
  };
}
