import { expect, it } from 'vitest';
import { createStripeClient } from './stripe-client.js';

it.each([
  ['http://localhost:12111', 'http', 'localhost', 12_111],
  ['http://stripe.internal', 'http', 'stripe.internal', 80],
  ['https://stripe.internal', 'https', 'stripe.internal', 443],
  ['http://[::1]:8080', 'http', '::1', 8080],
])('asks Stripe at %s', (apiBase, protocol, host, port) => {
  const stripe = createStripeClient({ secretKey: 'sk_test_123', apiBase });
  expect([stripe.getApiField('protocol'), stripe.getApiField('host'), stripe.getApiField('port')]).toEqual([
    protocol,
    host,
    port,
  ]);
});

it('asks Stripe itself where nothing else is said', () => {
  const stripe = createStripeClient({ secretKey: 'sk_test_123', apiBase: undefined });
  expect(stripe.getApiField('host')).toBe('api.stripe.com');
});

it('refuses an address with a path, which would be dropped', () => {
  const apiBase = 'http://localhost/stripe';
  expect(() => createStripeClient({ secretKey: 'sk_test_123', apiBase })).toThrow(/^STRIPE_API_BASE takes/);
});
