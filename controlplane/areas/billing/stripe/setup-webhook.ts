import type Stripe from 'stripe';
import type { Say } from './setup-catalogue.js';
import { API_VERSION, answerOf } from './stripe-client.js';
import { WEBHOOK_EVENTS } from './stripe-webhook-events.js';

/** Creates or updates the webhook endpoint. Stripe shows its secret once, when it is created. */
export async function setUpWebhook(stripe: Stripe, apiUrl: string, say: Say): Promise<void> {
  const url = `${apiUrl.replace(/\/$/, '')}/webhooks/stripe`;
  const known = await answerOf(findEndpoint(stripe, url));
  if (known === undefined) return createEndpoint(stripe, url, say);
  if (known.api_version !== API_VERSION) {
    const version = known.api_version ?? "the account's version";
    say(
      `webhook ${known.id}: is sent events of ${version}, not ${API_VERSION}, which cannot be changed; delete it and run this again`,
    );
    return;
  }
  const isRight = known.status === 'enabled' && isSameSet(known.enabled_events, WEBHOOK_EVENTS);
  if (!isRight) {
    await answerOf(
      stripe.webhookEndpoints.update(known.id, { enabled_events: [...WEBHOOK_EVENTS], disabled: false }),
    );
  }
  say(`webhook ${known.id}: ${isRight ? 'as it should be' : 'updated'}`);
}

async function createEndpoint(stripe: Stripe, url: string, say: Say): Promise<void> {
  const { id, secret } = await answerOf(
    stripe.webhookEndpoints.create({
      url,
      enabled_events: [...WEBHOOK_EVENTS],
      api_version: API_VERSION,
      description: 'Waymark',
    }),
  );
  say(`webhook ${id}: created for ${url}`);
  if (secret !== undefined) say(`STRIPE_WEBHOOK_SECRET=${secret}   (keep it: it is not shown again)`);
}

async function findEndpoint(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint | undefined> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) return endpoint;
  }
  return undefined;
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && others.every((one) => some.includes(one));
}
