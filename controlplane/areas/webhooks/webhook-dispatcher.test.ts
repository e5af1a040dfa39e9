import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { deliveryQueue } from './delivery-queue.js';
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
const claim = (name: string) =>
  deliveryQueue.claim(area.api.database, { claim: name, limit: 100, leaseSeconds: 60, exceptEndpoints: [] });

describe('several control planes', () => {
  test('send each message once', async () => {
    const paths = Array.from({ length: 10 }, (_, number) => `${path}/${number}`);
    for (const each of paths) await area.createEndpoint(user.token, each);
    for (let event = 0; event < 5; event += 1) await area.emit(user.id, 'domain.verified');
    const others = [area.another(), area.another()];
    await Promise.all([runRound(), ...others.map(({ dispatcher }) => dispatcher.runRound())]);
    for (const each of paths) {
      const ids = area.receiver.messagesOn(each).map(({ headers }) => headers['webhook-id']);
      expect(ids).toHaveLength(5);
      expect(new Set(ids).size).toBe(5);
    }
  });

  test('take different messages when they ask at the same moment', async () => {
    for (let endpoint = 0; endpoint < 10; endpoint += 1) {
      await area.createEndpoint(user.token, `${path}/${endpoint}`);
    }
    for (let event = 0; event < 20; event += 1) await area.emit(user.id, 'domain.verified');
    const claims = Array.from({ length: 8 }, (_, number) => claim(`of process ${number}`));
    const taken = (await Promise.all(claims)).flat().map(({ id }) => id);
    expect(taken.length).toBeGreaterThanOrEqual(10);
    expect(new Set(taken).size).toBe(taken.length);
  });

  test('send what one of them had taken when it died, once its time is over', async () => {
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    const [lost] = await claim('of a process that dies');
    await runRound();
    expect(received()).toEqual([]);
    await area.makeAllDue();
    await runRound();
    expect(received()).toHaveLength(1);

    const late = { at: new Date().toISOString(), responseCode: 500, error: null, durationMs: 1 };
    await deliveryQueue.settle(area.api.database, lost!, late, { kind: 'failed' });
    expect(await onlyDelivery(id)).toMatchObject({ status: 'delivered', responseCode: 204 });
  });
});

describe('an endpoint that does not answer', () => {
  test('keeps no other one waiting, whatever its backlog', async () => {
    let release = () => {};
    area.receiver.on(`${path}/slow`, (response) => {
      release = () => response.end();
    });
    const slow = await area.createEndpoint(user.token, `${path}/slow`);
    for (let event = 0; event < 40; event += 1) await area.emit(user.id, 'domain.verified');
    const before = area.receiver.messages.length;
    const round = runRound();
    await area.receiver.whenReceived(before + 1);

    await area.createEndpoint(user.token, path, ['payment.failed']);
    await area.emit(user.id, 'payment.failed');
    void runRound();
    await area.receiver.whenReceived(before + 2);
    expect(received()).toHaveLength(1);
    expect(area.receiver.messagesOn(`${path}/slow`)).toHaveLength(1);

    await area.api.call('DELETE', `/webhook-endpoints/${slow.id}`, { token: user.token });
    release();
    await round;
  });

  test('is left to the next start when the process stops, and that attempt does not count', async () => {
    area.receiver.on(path, () => {});
    const { id } = await area.createEndpoint(user.token, path);
    await area.emit(user.id, 'domain.verified');
    const stopping = area.another({ stopGraceMs: 0 });
    const before = area.receiver.messages.length;
    const round = stopping.dispatcher.runRound();
    await area.receiver.whenReceived(before + 1);
    await stopping.dispatcher.stop();
    await round;
    expect(await onlyDelivery(id)).toMatchObject({ status: 'pending', attempts: [] });
    const [again] = await claim('of the next process');
    expect(again).toMatchObject({ attemptNumber: 1 });
  });
});

test('what is under way when the process stops may come to its end', async () => {
  const { id } = await area.createEndpoint(user.token, path);
  const stopping = area.another();
  let stopped: Promise<void> | undefined;
  area.receiver.on(path, (response) => {
    stopped = stopping.dispatcher.stop();
    response.end();
  });
  await area.emit(user.id, 'domain.verified');
  await stopping.dispatcher.runRound();
  await stopped;
  expect(await onlyDelivery(id)).toMatchObject({ status: 'delivered', responseCode: 200 });
});

test('a started area sends by itself', async () => {
  await area.createEndpoint(user.token, path);
  const running = area.another();
  const before = area.receiver.messages.length;
  running.dispatcher.start();
  await area.emit(user.id, 'domain.verified');
  await area.receiver.whenReceived(before + 1);
  await running.dispatcher.stop();
  expect(received()).toHaveLength(1);
});

test('events are forgotten after thirty days, but for those that are still to be sent', async () => {
  const { id } = await area.createEndpoint(user.token, path, ['domain.verified', 'payment.failed']);
  await area.emit(user.id, 'domain.verified');
  await runRound();
  await area.emit(user.id, 'payment.failed');
  await area.webhooks.retention.runRound();
  expect(await area.deliveries(user.token, id)).toHaveLength(2);
  await area.api.database.query("UPDATE webhook_events SET created_at = now() - interval '31 days'");
  await area.webhooks.retention.runRound();
  expect(await onlyDelivery(id)).toMatchObject({ eventType: 'payment.failed', status: 'pending' });
});
