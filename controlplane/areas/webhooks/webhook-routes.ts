import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { keepAnswer } from '../../http/idempotency.js';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema, MessageSchema, NumberedPageQuerySchema } from '../../http/schema-parts.js';
import {
  CreatedEndpointSchema,
  CreateEndpointSchema,
  DeliveryPageSchema,
  deliveryRecord,
  EndpointListSchema,
  EndpointSchema,
  endpointRecord,
  ResentSchema,
  UpdateEndpointSchema,
} from './webhook-schema.js';
import type { EndpointWithSecret, WebhookService } from './webhook-service.js';

// Most events are about billing. The others contain nothing more private.
const read = { scope: 'billing:read' } as const;
const write = { scope: 'billing:write' } as const;

function secretBody({ endpoint, secret }: EndpointWithSecret) {
  return { ...endpointRecord(endpoint), secret };
}

/** `/webhook-endpoints` and `/webhook-deliveries`. */
export function createWebhookRoutes(webhooks: WebhookService): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'webhooks');
    app.post(
      '/webhook-endpoints',
      {
        config: write,
        schema: {
          summary: 'Create a webhook endpoint',
          description: 'The answer shows the secret of the signatures once.',
          body: CreateEndpointSchema,
          response: { 201: CreatedEndpointSchema },
        },
      },
      async (request, reply) => {
        const keep = keepAnswer(request, reply, 201, secretBody);
        return reply.code(201).send(secretBody(await webhooks.create(request.user, request.body, keep)));
      },
    );

    app.get(
      '/webhook-endpoints',
      {
        config: read,
        schema: {
          summary: 'Your webhook endpoints, newest first',
          response: { 200: EndpointListSchema },
        },
      },
      async (request) => ({ endpoints: (await webhooks.list(request.user.id)).map(endpointRecord) }),
    );

    app.patch(
      '/webhook-endpoints/:id',
      {
        config: write,
        schema: {
          summary: 'Change a webhook endpoint',
          description:
            'Members that are left out stay unchanged. Waiting messages go to the new URL. A paused endpoint keeps its messages. Any change enables a disabled endpoint.',
          params: IdParamSchema,
          body: UpdateEndpointSchema,
          response: { 200: EndpointSchema },
        },
      },
      async ({ user, params, body }) => endpointRecord(await webhooks.update(user, params.id, body)),
    );

    app.post(
      '/webhook-endpoints/:id/rotate-secret',
      {
        config: write,
        schema: {
          operationId: 'rotateWebhookSecret',
          summary: 'Replace the secret of a webhook endpoint',
          description:
            'The answer shows the new secret once. For 24 hours messages have signatures of the new and the old secret.',
          params: IdParamSchema,
          response: { 200: CreatedEndpointSchema },
        },
      },
      async (request, reply) => {
        const keep = keepAnswer(request, reply, 200, secretBody);
        return secretBody(await webhooks.rotateSecret(request.user, request.params.id, keep));
      },
    );

    app.post(
      '/webhook-endpoints/:id/test',
      {
        config: write,
        schema: {
          operationId: 'testWebhookEndpoint',
          summary: 'Send a test message',
          description:
            'Sends a `webhook.test` message, whatever the endpoint subscribes to. `GET /webhook-endpoints/{id}/deliveries` shows the result. A paused endpoint gets 422.',
          params: IdParamSchema,
          response: { 200: ResentSchema },
        },
      },
      async ({ user, params }) => {
        const delivery = await webhooks.test(user.id, params.id);
        return { delivery: deliveryRecord(delivery), message: 'The test message is being sent.' };
      },
    );

    app.delete(
      '/webhook-endpoints/:id',
      {
        config: write,
        schema: {
          summary: 'Delete a webhook endpoint',
          description: 'Deletes its log too. Waiting messages are dropped.',
          params: IdParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) => {
        const { url } = await webhooks.delete(request.user, request.params.id);
        return { message: `The webhook endpoint ${url} was deleted.` };
      },
    );

    app.get(
      '/webhook-endpoints/:id/deliveries',
      {
        config: read,
        schema: {
          operationId: 'listWebhookDeliveries',
          summary: 'Deliveries of an endpoint, newest first',
          description: 'Deliveries are kept for 30 days.',
          params: IdParamSchema,
          querystring: NumberedPageQuerySchema,
          response: { 200: DeliveryPageSchema },
        },
      },
      async (request) => {
        const { page, limit } = request.query;
        const { deliveries, total } = await webhooks.deliveries(request.user.id, request.params.id, {
          page,
          limit,
        });
        const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) };
        return { data: deliveries.map(deliveryRecord), pagination };
      },
    );

    app.post(
      '/webhook-deliveries/:id/resend',
      {
        config: write,
        schema: {
          summary: 'Send a message again',
          description:
            'Sends the message within a second, and repeats it on failure. `webhook-id` stays the same.',
          params: IdParamSchema,
          response: { 200: ResentSchema },
        },
      },
      async (request) => {
        const delivery = await webhooks.resend(request.user.id, request.params.id);
        return { delivery: deliveryRecord(delivery), message: 'The message is being sent again.' };
      },
    );
  };
}
