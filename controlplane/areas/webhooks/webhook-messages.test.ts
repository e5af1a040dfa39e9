import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { emit } from './integrator-events.js';
import { startWebhooksApi, type WebhooksApi } from './webhooks-api.fixture.js';

let area: WebhooksApi;
let user: TestUser;
let path: string;
let count = 0;
beforeAll(async () => {
  area = await startWebhooksApi();
});
afterAll(() => area.close());
beforeEach(async () => {
  await area.api.database.query('DELETE FROM webhook_endpoints');
  user = await area.api.createUser();
  path = `/hooks-${++count}`;
});

const runRound = () => area.webhooks.dispatcher.runRound();
const received = () => area.receiver.messagesOn(path);
const onlyDelivery = async (endpointId: string) => {
  const deliveries = await area.deliveries(user.token, endpointId);
  expect(deliveries).toHaveLength(1);
  return deliveries[0];
};

describe('an event', () => {
  test('comes to the endpoints that want to hear of it, signed with the secret of each', async () => {
    const events = ['subscription.confirmed', 'payment.failed'] as const;
    const one = await area.createEndpoint(user.token, path, events);
    const two = await area.createEndpoint(user.token, `${path}/two`, ['payment.failed']);
    await area.createEndpoint(user.token, `${path}/deaf`, ['domain.verified']);
    await area.emit(user.id, 'payment.failed', { amount: 2900, at: new Date(0) });
    await runRound();

    const [first] = received();
    const [second] = area.receiver.messagesOn(`${path}/two`);
    expect(area.receiver.messagesOn(`${path}/deaf`)).toEqual([]);
    const message = new Webhook(one.secret).verify(first!.body, first!.headers);
    expect(message).toEqual({
      id: first!.headers['webhook-id'],
      type: 'payment.failed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { amount: 2900, at: '1970-01-01T00:00:00.000Z' },
    });
    expect(new Webhook(two.secret).verify(second!.body, second!.headers)).toEqual(message);
    expect(() => new Webhook(two.secret).verify(first!.body, first!.headers)).toThrow();
  });

  test('waits while its endpoint is paused, and is sent when it is resumed', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    const patch = (paused: boolean) =>
      area.api.call('PATCH', `/webhook-endpoints/${id}`, { token: user.token, body: { paused } });
    expect((await patch(true)).json).toMatchObject({ id, paused: true });
    await area.emit(user.id, 'domain.verified');
    await runRound();
    expect(received()).toEqual([]);
    expect(await onlyDelivery(id)).toMatchObject({ status: 'pending', attempts: [] });
    expect((await patch(false)).json.paused).toBe(false);
    await runRound();
    expect(received()).toHaveLength(1);
  });

  test('can be a test, which the endpoint need not subscribe to', async () => {
    const { id, secret } = await area.createEndpoint(user.token, path);
    const other = await area.createEndpoint(user.token, `${path}/other`);
    const test = () => area.api.call('POST', `/webhook-endpoints/${id}/test`, { token: user.token });
    const { status, json } = await test();
    expect([status, json.delivery.eventType]).toEqual([200, 'webhook.test']);
    await runRound();
    const [message] = received();
    expect(new Webhook(secret).verify(message!.body, message!.headers)).toMatchObject({
      type: 'webhook.test',
      data: { endpointId: id },
    });
    expect(await onlyDelivery(id)).toMatchObject({ status: 'delivered', eventType: 'webhook.test' });
    expect(await area.deliveries(user.token, other.id)).toEqual([]);
    await area.api.call('PATCH', `/webhook-endpoints/${id}`, { token: user.token, body: { paused: true } });
    expect(await test()).toMatchObject({ status: 422, json: { error: { field: 'paused' } } });
  });

  test('is signed with the old secret too for a day after a rotation', async () => {
    const { id, secret } = await area.createEndpoint(user.token, path);
    const rotated = await area.api.call('POST', `/webhook-endpoints/${id}/rotate-secret`, {
      token: user.token,
    });
    expect([rotated.status, rotated.json.id]).toEqual([200, id]);
    expect(rotated.json.secret).toMatch(/^whsec_/);
    expect(rotated.json.secret).not.toBe(secret);
    await area.emit(user.id, 'domain.verified');
    await runRound();
    await area.api.database.query(
      'UPDATE webhook_endpoints SET previous_secret_until = now() WHERE id = $1',
      [id],
    );
    await area.emit(user.id, 'domain.verified');
    await runRound();
    const [first, second] = received();
    for (const one of [secret, rotated.json.secret]) new Webhook(one).verify(first!.body, first!.headers);
    new Webhook(rotated.json.secret).verify(second!.body, second!.headers);
    expect(() => new Webhook(secret).verify(second!.body, second!.headers)).toThrow();
  });

  test('can be signed after SECRET_KEY was replaced, without the old key once secrets are renewed', async () => {
    const { secret } = await area.createEndpoint(user.token, path);
    const current = Buffer.from('a new secret for tests only');
    const rotating = area.another({
      secrets: { current, previous: [Buffer.from('a secret for tests only')] },
    });
    const alone = area.another({ secrets: { current, previous: [] } });
    await area.emit(user.id, 'domain.verified');
    await rotating.dispatcher.runRound();
    expect(await rotating.renewal.runRound()).toBe(1);
    expect(await rotating.renewal.runRound()).toBe(0);
    await area.emit(user.id, 'domain.verified');
    await alone.dispatcher.runRound();
    expect(received()).toHaveLength(2);
    for (const { body, headers } of received()) new Webhook(secret).verify(body, headers);
  });

  test('is signed with both secrets of a rotation when SECRET_KEY is replaced within the day', async () => {
    const { id, secret } = await area.createEndpoint(user.token, path);
    const { json } = await area.api.call('POST', `/webhook-endpoints/${id}/rotate-secret`, {
      token: user.token,
    });
    const current = Buffer.from('a new secret for tests only');
    const previous = [Buffer.from('a secret for tests only')];
    const { renewal } = area.another({ secrets: { current, previous } });
    expect(await renewal.runRound()).toBe(2);
    expect(await renewal.runRound()).toBe(0);
    await area.emit(user.id, 'domain.verified');
    await area.another({ secrets: { current, previous: [] } }).dispatcher.runRound();
    const [message] = received();
    for (const one of [secret, json.secret]) new Webhook(one).verify(message!.body, message!.headers);
  });

  test('comes to nobody else', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    const stranger = await area.api.createUser();
    await area.emit(stranger.id, 'domain.verified');
    await runRound();
    expect(received()).toEqual([]);
    expect(await area.deliveries(user.token, id)).toEqual([]);
  });

  test('of a transaction that is rolled back has not happened', async () => {
    await area.createEndpoint(user.token, path);
    const failing = area.api.database.transaction(async (tx) => {
      await emit(tx, user.id, 'domain.verified', {});
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await runRound();
    expect(received()).toEqual([]);
  });

  test('that is taken is not sent again', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await runRound();
    await area.makeAllDue();
    await runRound();
    expect(received()).toHaveLength(1);
    expect(await onlyDelivery(id)).toMatchObject({
      status: 'delivered',
      responseCode: 204,
      error: null,
      nextAttemptAt: null,
      attempts: [{ at: expect.any(String), responseCode: 204, error: null, durationMs: expect.any(Number) }],
    });
  });

  test('is not sent to an endpoint that has been deleted since', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await area.api.call('DELETE', `/webhook-endpoints/${id}`, { token: user.token });
    await runRound();
    expect(received()).toEqual([]);
  });
});

describe('a message that is not taken', () => {
  test('is sent again as it was, later and later, until it is', async () => {
    const codes = [500, 302, 429, 200];
    area.receiver.on(path, (response) => response.writeHead(codes[received().length - 1]!).end());
    const { id, secret } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified', { domain: 'a.example' });
    for (const [index, seconds] of [5, 60, 300].entries()) {
      await runRound();
      const { status, responseCode, nextAttemptAt, attempts } = await onlyDelivery(id);
      expect({ status, responseCode }).toEqual({ status: 'pending', responseCode: codes[index] });
      const waitMs = Date.parse(nextAttemptAt) - Date.parse(attempts.at(-1).at);
      expect(waitMs).toBeGreaterThan(seconds * 900);
      await runRound();
      expect(received()).toHaveLength(index + 1);
      await area.makeAllDue();
    }
    await runRound();
    const { status, attempts } = await onlyDelivery(id);
    expect(status).toBe('delivered');
    expect(attempts.map(({ responseCode }: { responseCode: number }) => responseCode)).toEqual(codes);
    const [first, ...others] = received();
    for (const message of others) {
      expect(message.body).toBe(first!.body);
      expect(message.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      new Webhook(secret).verify(message.body, message.headers);
    }
  });

  test('is given up in the end, and starts anew when it is sent again by hand', async () => {
    let status = 500;
    area.receiver.on(path, (response) => response.writeHead(status).end());
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await runRound();
    // Only the last of the following attempts matters.
    await area.api.database.query('UPDATE webhook_deliveries SET attempt_number = 10');
    await area.makeAllDue();
    await runRound();
    const delivery = await onlyDelivery(id);
    expect(delivery).toMatchObject({ status: 'failed', responseCode: 500, nextAttemptAt: null });

    const resend = () =>
      area.api.call('POST', `/webhook-deliveries/${delivery.id}/resend`, { token: user.token });
    expect(await resend()).toMatchObject({
      status: 200,
      json: { delivery: { id: delivery.id, status: 'pending', nextAttemptAt: expect.any(String) } },
    });
    await runRound();
    expect(await onlyDelivery(id)).toMatchObject({ status: 'pending', nextAttemptAt: expect.any(String) });
    status = 200;
    await resend();
    await runRound();
    expect(await onlyDelivery(id)).toMatchObject({ status: 'delivered', responseCode: 200 });
    const ids = new Set(received().map(({ headers }) => headers['webhook-id']));
    expect([...ids]).toEqual([delivery.eventId]);
  });

  test('is sent again at once when that is asked for during its last attempt, which fails', async () => {
    const resend = (id: string) =>
      area.api.call('POST', `/webhook-deliveries/${id}/resend`, { token: user.token });
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    const { id: deliveryId } = await onlyDelivery(id);
    await area.api.database.query('UPDATE webhook_deliveries SET attempt_number = 10');
    area.receiver.on(path, async (response) => {
      if (received().length > 1) return response.writeHead(204).end();
      await resend(deliveryId);
      return response.writeHead(500).end();
    });
    await runRound();
    const { status, attempts } = await onlyDelivery(id);
    expect(status).toBe('delivered');
    expect(attempts).toMatchObject([{ responseCode: 500 }, { responseCode: 204 }]);
  });

  test.each([
    ['429', 429, '600', 600],
    ['503', 503, '600', 600],
    ['503, at most an hour', 503, '86400', 3_600],
  ])('waits as long as an answer of %s asks for', async (_what, status, retryAfter, seconds) => {
    area.receiver.on(path, (response) => response.writeHead(status, { 'retry-after': retryAfter }).end());
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await runRound();
    const { nextAttemptAt, attempts } = await onlyDelivery(id);
    const waitSeconds = (Date.parse(nextAttemptAt) - Date.parse(attempts[0].at)) / 1000;
    expect(waitSeconds).toBeGreaterThanOrEqual(seconds);
    expect(waitSeconds).toBeLessThan(seconds + 300);
    expect(Object.keys(attempts[0]).sort()).toEqual(['at', 'durationMs', 'error', 'responseCode']);
  });

  test('has the latest twenty attempts in its log', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await runRound();
    const delivery = await onlyDelivery(id);
    const [first] = delivery.attempts;
    await area.api.database.query('UPDATE webhook_deliveries SET attempts = $1::jsonb', [
      JSON.stringify(Array.from({ length: 20 }, (_, number) => ({ ...first, durationMs: number }))),
    ]);
    await area.api.call('POST', `/webhook-deliveries/${delivery.id}/resend`, { token: user.token });
    await runRound();
    const { attempts } = await onlyDelivery(id);
    expect(attempts).toHaveLength(20);
    expect(attempts[0].durationMs).toBe(1);
  });

  test('says so where private addresses are not allowed any more', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await area.another({ allowPrivate: false }).dispatcher.runRound();
    expect(received()).toEqual([]);
    expect(await onlyDelivery(id)).toMatchObject({ responseCode: null, error: 'address_refused' });
  });

  test('says so where its secret was encrypted under another SECRET_KEY', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await area
      .another({ secrets: { current: Buffer.from('another secret'), previous: [] } })
      .dispatcher.runRound();
    expect(received()).toEqual([]);
    expect(await onlyDelivery(id)).toMatchObject({ responseCode: null, error: 'secret_unreadable' });
  });
});

describe('an endpoint that answers 410', () => {
  const disabledAt = async () => {
    const { json } = await area.api.call('GET', '/webhook-endpoints', { token: user.token });
    return json.endpoints[0].disabledAt;
  };

  test('is sent nothing more: what waits is given up, and events pass it by', async () => {
    area.receiver.on(path, (response) => response.writeHead(410).end());
    const { id, disabledAt: atFirst } = await area.createEndpoint(user.token, path);
    expect(atFirst).toBeNull();
    for (let event = 0; event < 3; event += 1) await area.emit(user.id, 'domain.verified');
    await runRound();
    expect(received()).toHaveLength(1);
    expect(await disabledAt()).toEqual(expect.any(String));
    await area.emit(user.id, 'domain.verified');
    await area.makeAllDue();
    await runRound();
    expect(received()).toHaveLength(1);
    const deliveries = await area.deliveries(user.token, id);
    expect(deliveries.map(({ status, nextAttemptAt }) => ({ status, nextAttemptAt }))).toEqual(
      Array(3).fill({ status: 'failed', nextAttemptAt: null }),
    );
  });

  test('is sent to again once it has taken a message that was sent again by hand', async () => {
    let status = 410;
    area.receiver.on(path, (response) => response.writeHead(status).end());
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    await runRound();
    const { id: deliveryId } = await onlyDelivery(id);
    status = 204;
    await area.api.call('POST', `/webhook-deliveries/${deliveryId}/resend`, { token: user.token });
    expect(await disabledAt()).toEqual(expect.any(String));
    await runRound();
    expect(await onlyDelivery(id)).toMatchObject({ status: 'delivered' });
    expect(await disabledAt()).toBeNull();
    await area.emit(user.id, 'domain.verified');
    await runRound();
    expect(received()).toHaveLength(3);
  });
});

test('metrics count attempts by outcome, what was given up and what waits', async () => {
  area.receiver.on(path, (response) => response.writeHead(500).end());
  await area.createEndpoint(user.token, path);
  await area.createEndpoint(user.token, `${path}/good`);
  const metric = async (name: string, outcome?: string) => {
    const { values } = await area.metrics.getSingleMetric(name)!.get();
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  };
  const delivered = await metric('waymark_webhook_attempts_total', 'delivered');
  const refused = await metric('waymark_webhook_attempts_total', 'refused');
  const givenUp = await metric('waymark_webhook_given_up_total');
  await area.emit(user.id, 'domain.verified');
  expect(await metric('waymark_webhook_pending')).toBe(2);
  await runRound();
  expect(await metric('waymark_webhook_attempts_total', 'delivered')).toBe(delivered + 1);
  expect(await metric('waymark_webhook_attempts_total', 'refused')).toBe(refused + 1);
  expect(await metric('waymark_webhook_pending')).toBe(1);
  await area.api.database.query('UPDATE webhook_deliveries SET attempt_number = 10');
  await area.makeAllDue();
  await runRound();
  expect(await metric('waymark_webhook_given_up_total')).toBe(givenUp + 1);
});
