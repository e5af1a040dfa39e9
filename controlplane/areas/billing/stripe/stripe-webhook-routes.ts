import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Stripe from 'stripe';
import { AppError } from '../../../errors/app-error.js';
import { envelopeFault } from './stripe-event-shape.js';
import type { StripeInbox } from './stripe-inbox.js';
import { webhookRoutes } from './webhook-route.js';

/** Maximum age of a signature. An intercepted message is useless after it. */
const TOLERANCE_SECONDS = 300;

export interface StripeWebhookDeps {
  readonly stripe: Stripe;
  readonly inbox: StripeInbox;
  /** `undefined`: every event is refused, because no signature can be checked. */
  readonly webhookSecret: string | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** `POST /webhooks/stripe`, the endpoint of Stripe's events. */
export function createStripeWebhookRoutes(deps: StripeWebhookDeps): FastifyPluginAsyncTypebox {
  return webhookRoutes((payload, signature) => deps.inbox.take(verified(deps, payload, signature), payload));
}

function verified(
  { stripe, webhookSecret, nowMs }: StripeWebhookDeps,
  payload: string,
  signature: string,
): Stripe.Event {
  if (webhookSecret === undefined) throw notConfigured();
  let event: Stripe.Event;
  try {
    event = stripe.webhooks.constructEvent(
      payload,
      signature,
      webhookSecret,
      TOLERANCE_SECONDS,
      undefined,
      nowMs(),
    );
  } catch (cause) {
    throw notBelieved(cause);
  }
  const fault = envelopeFault(event);
  if (fault !== undefined) throw noEvent(fault);
  return event;
}

/** The signature is right, but the body is not an event. A repetition would not change that. */
function noEvent(field: string): AppError {
  return new AppError('INVALID_REQUEST', {
    ...(field !== '' && { field }),
    message:
      'The request body is not an event of Stripe: it takes id and type as text, and an object data.object.',
  });
}

function notBelieved(cause: unknown): AppError {
  const isForged = cause instanceof Stripe.errors.StripeSignatureVerificationError;
  return new AppError('INVALID_REQUEST', {
    message: isForged
      ? 'The header Stripe-Signature does not fit this body, or is too old.'
      : 'The request body is not an event of Stripe.',
    cause,
  });
}

function notConfigured(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'Events of Stripe are not taken here yet.',
    cause: new Error('STRIPE_WEBHOOK_SECRET is not set; npm run stripe:setup shows it'),
  });
}
