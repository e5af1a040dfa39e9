import { type Static, Type } from 'typebox';
import { HTTPS_URL } from '../../http/documented-formats.js';
import { bodyOf, nullable, PaginationSchema, recordOf, time } from '../../http/schema-parts.js';
import type { WebhookEndpoint } from './endpoint-repository.js';
import { MAX_URL_LENGTH } from './endpoint-url.js';
import { INTEGRATOR_EVENT_TYPES, TEST_EVENT_TYPE } from './integrator-events.js';
import { ATTEMPT_ERRORS, DELIVERY_STATUSES, type WebhookDelivery } from './webhook-delivery.js';

const EventTypeSchema = Type.Enum([...INTEGRATOR_EVENT_TYPES], { title: 'EventType' });
const url = Type.String({
  maxLength: MAX_URL_LENGTH,
  documented: HTTPS_URL,
  accepts: `an absolute https URL of at most ${MAX_URL_LENGTH} characters`,
  description:
    'Receives the messages. It must be https on a public address, with port 443 or 1024 and above.',
});

export const CreateEndpointSchema = bodyOf(
  {
    url,
    events: Type.Array(EventTypeSchema, {
      minItems: 1,
      maxItems: 100,
      accepts: `a list of at least one of: ${INTEGRATOR_EVENT_TYPES.join(', ')}`,
      description: 'Events that the endpoint receives.',
    }),
  },
  { url: 'https://hooks.example.com/waymark', events: ['domain.verified', 'payment.failed'] },
);

export const UpdateEndpointSchema = bodyOf(
  {
    url: Type.Optional(CreateEndpointSchema.properties.url),
    events: Type.Optional(CreateEndpointSchema.properties.events),
    paused: Type.Optional(
      Type.Boolean({ description: 'Whether messages are held back until the endpoint is resumed.' }),
    ),
  },
  { events: ['domain.verified', 'domain.unverified'] },
);

export const EndpointSchema = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Type.Array(EventTypeSchema),
    createdAt: time,
    paused: Type.Boolean({ description: 'Whether messages are held back.' }),
    disabledAt: nullable(
      time,
      'Time since which nothing is sent, because the endpoint answered 410. A successful resend enables it again.',
    ),
  },
  { title: 'WebhookEndpoint' },
);

export const CreatedEndpointSchema = Type.Object(
  {
    ...EndpointSchema.properties,
    secret: Type.String({
      pattern: '^whsec_',
      description: 'Key of the message signatures (Standard Webhooks). It is shown only once.',
    }),
  },
  { title: 'CreatedWebhookEndpoint' },
);

export const EndpointListSchema = Type.Object({ endpoints: Type.Array(EndpointSchema) });

const responseCode = nullable(Type.Integer(), 'Status code of the answer. `null` means no answer.');
const error = nullable(Type.Enum([...ATTEMPT_ERRORS]), 'Reason why there was no answer.');

export const DeliverySchema = Type.Object(
  {
    id: Type.String(),
    endpointId: Type.String(),
    eventId: Type.String({ description: 'Value of the header `webhook-id`, the same for every attempt.' }),
    eventType: Type.Enum([...INTEGRATOR_EVENT_TYPES, TEST_EVENT_TYPE]),
    status: Type.Enum([...DELIVERY_STATUSES], {
      description: '`delivered`: answered with 2xx. `failed`: given up after three days or an answer of 410.',
    }),
    responseCode: nullable(
      Type.Integer(),
      'Status code of the answer to the latest attempt, if there was one.',
    ),
    error: nullable(Type.Enum([...ATTEMPT_ERRORS]), 'Reason why the latest attempt had no answer.'),
    attempts: Type.Array(Type.Object({ at: time, responseCode, error, durationMs: Type.Integer() }), {
      description: 'The latest attempts, oldest first.',
    }),
    nextAttemptAt: nullable(time, 'Time of the next attempt. `null` means none.'),
    createdAt: time,
  },
  { title: 'WebhookDelivery' },
);

export const DeliveryPageSchema = Type.Object({
  data: Type.Array(DeliverySchema),
  pagination: PaginationSchema,
});

export const ResentSchema = Type.Object({ delivery: DeliverySchema, message: Type.String() });

export type UpdateEndpoint = Static<typeof UpdateEndpointSchema>;
export type CreateEndpoint = Static<typeof CreateEndpointSchema>;

/** An endpoint as the API shows it. */
export function endpointRecord(endpoint: WebhookEndpoint): Static<typeof EndpointSchema> {
  return recordOf(EndpointSchema, { ...endpoint, paused: endpoint.isPaused });
}

/** A delivery as the API shows it. */
export function deliveryRecord(delivery: WebhookDelivery): Static<typeof DeliverySchema> {
  const { responseCode, error } = delivery.attempts.at(-1) ?? { responseCode: null, error: null };
  return recordOf(DeliverySchema, { ...delivery, responseCode, error });
}
