import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './src/index.js';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const event = {
  type: 'domain.verified',
  timestamp: '2026-11-01T10:00:00.000Z',
  data: { domain: 'ä.example' },
};

function message(nowMs = Date.now(), signedWith = secret) {
  const body = JSON.stringify(event);
  const id = 'evt_1';
  const seconds = Math.floor(nowMs / 1000);
  return {
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': new Webhook(signedWith).sign(id, new Date(seconds * 1000), body),
    },
  };
}

it('returns the event of a signed message, as text or bytes, with any form of headers', async () => {
  const { body, headers } = message();
  expect(await verifyWebhook({ body, headers, secret })).toEqual(event);
  const bytes = new TextEncoder().encode(body);
  expect(await verifyWebhook({ body: bytes, headers: new Headers(headers), secret })).toEqual(event);
});

it('accepts either secret while one replaces the other', async () => {
  const old = newSecret();
  expect(await verifyWebhook({ ...message(), secret: [old, secret] })).toEqual(event);
  const { body, headers } = message();
  const both = `${message(Date.now(), old).headers['webhook-signature']} ${headers['webhook-signature']}`;
  expect(await verifyWebhook({ body, headers: { ...headers, 'webhook-signature': both }, secret })).toEqual(
    event,
  );
});

const { body, headers } = message();
it.each([
  ['another secret', { body, headers, secret: newSecret() }],
  ['another body', { body: `${body} `, headers, secret }],
  ['another id', { body, headers: { ...headers, 'webhook-id': 'evt_2' }, secret }],
  ['no signature', { body, headers: { ...headers, 'webhook-signature': '' }, secret }],
  ['another version', { body, headers: { ...headers, 'webhook-signature': 'v2,AAAA' }, secret }],
  ['no base64', { body, headers: { ...headers, 'webhook-signature': 'v1,%' }, secret }],
  ['no timestamp', { body, headers: { ...headers, 'webhook-timestamp': 'now' }, secret }],
  ['an old message', { ...message(Date.now() - 301_000), secret }],
  ['a message of the future', { ...message(Date.now() + 301_000), secret }],
])('refuses %s', async (_, options) => {
  await expect(verifyWebhook(options)).rejects.toThrow(WebhookVerificationError);
});
