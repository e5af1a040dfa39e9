import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema } from '../../http/schema-parts.js';
import { type PlanCatalogue, PlansSchema, planRecord } from '../plans/public.js';
import {
  CheckoutAnswerSchema,
  CheckoutOpenedSchema,
  CheckoutRequestSchema,
  checkoutRecord,
} from './billing-schema.js';
import type { CheckoutService } from './checkout-service.js';

const STATUS_MESSAGES = {
  open: 'The session waits for its payment.',
  complete: 'The session is paid.',
  expired: 'The session has expired; begin a new one.',
} as const;

/** Routes of plans and checkouts. */
export function createCheckoutRoutes(
  catalogue: PlanCatalogue,
  checkouts: CheckoutService,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'billing');
    app.get(
      '/user/plans',
      {
        config: { public: true },
        schema: { operationId: 'listPlans', summary: 'List the plans', response: { 200: PlansSchema } },
      },
      async () => ({
        plans: catalogue.plans.map(planRecord),
        message: 'POST /payment/checkout subscribes to a plan. Limits of -1 are none.',
      }),
    );

    app.post(
      '/payment/checkout',
      {
        config: { scope: 'billing:write' },
        schema: {
          operationId: 'createCheckout',
          summary: 'Begin to pay for a plan',
          description:
            'Creates a hosted payment page, which is open for 24 hours. Send the user to `checkoutUrl`. After the payment the page redirects to `successUrl`.',
          body: CheckoutRequestSchema,
          response: { 201: CheckoutOpenedSchema },
        },
      },
      async (request, reply) => {
        const checkout = await checkouts.open(request.user, request.body);
        return reply.code(201).send({
          success: true,
          message: 'Send the user to checkoutUrl before it expires.',
          data: {
            checkoutUrl: checkout.url,
            checkoutId: checkout.id,
            expiresAt: checkout.expiresAt.toISOString(),
          },
        });
      },
    );

    app.get(
      '/payment/checkout/:id',
      {
        config: { scope: 'billing:read' },
        schema: {
          operationId: 'getCheckout',
          summary: 'Get a checkout',
          description: 'A checkout is kept until 90 days after its end, or until its subscription ends.',
          params: IdParamSchema,
          response: { 200: CheckoutAnswerSchema },
        },
      },
      async (request) => {
        const checkout = await checkouts.get(request.user.id, request.params.id);
        const message = STATUS_MESSAGES[checkout.status];
        return { success: true, message, data: checkoutRecord(checkout, catalogue.get(checkout.planId)) };
      },
    );
  };
}
