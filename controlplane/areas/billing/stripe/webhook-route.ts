import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../../errors/app-error.js';

/** `POST /webhooks/stripe` with the sandbox: no signature can be checked, so all events get 400. */
export function createUnusedStripeWebhookRoutes(): FastifyPluginAsyncTypebox {
  return webhookRoutes(async () => {
    throw new AppError('INVALID_REQUEST', {
      message:
        'No Stripe secret is configured here, so events of Stripe are not taken: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.',
    });
  });
}

/**
 * @param payload the body as received; empty without one
 * @param signature the header `Stripe-Signature`; empty without one
 */
type TakePayload = (payload: string, signature: string) => Promise<void>;

/** `POST /webhooks/stripe`. `take` accepts or refuses its payloads. */
export function webhookRoutes(take: TakePayload): FastifyPluginAsyncTypebox {
  return async (app) => {
    // The signature covers the exact bytes that were sent.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_: unknown, body: Buffer) => body,
    );

    app.post(
      '/webhooks/stripe',
      {
        // Stripe sends bursts from few addresses, and treats a refusal as a failure.
        config: { public: true, uncounted: true },
        schema: {
          tags: ['billing'],
          operationId: 'takeStripeEvent',
          summary: 'Events of Stripe',
          description:
            'Only for Stripe, which signs it in the header `Stripe-Signature`. Answers 400 if the installation does not use Stripe.',
          response: { 200: Type.Object({ received: Type.Boolean() }) },
        },
      },
      async (request) => {
        const payload = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
        const signature = request.headers['stripe-signature'];
        await take(payload, typeof signature === 'string' ? signature : '');
        return { received: true };
      },
    );
  };
}
