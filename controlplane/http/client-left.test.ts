import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { clientLeft } from './answer-over.js';

it('reports a client that closes its connection, but not one that has its answer', async () => {
  const app = Fastify({ forceCloseConnections: true });
  const signals: AbortSignal[] = [];
  app.get('/answered', async (_request, reply) => {
    signals.push(clientLeft(reply));
    return 'answer';
  });
  app.get('/endless', (_request, reply) => {
    signals.push(clientLeft(reply));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const [answer] = await once(get({ port, path: '/answered', agent: false }), 'response');
  await text(answer);
  const leaving = get({ port, path: '/endless', agent: false }).once('error', () => {});
  await vi.waitFor(() => expect(signals).toHaveLength(2));
  expect(signals[1]?.aborted).toBe(false);
  leaving.destroy();
  await vi.waitFor(() => expect(signals[1]?.aborted).toBe(true));
  await app.close();
  expect(signals[0]?.aborted).toBe(false);
});

it('reports a client that leaves while its request is queued, also to a later caller', async () => {
  const app = Fastify({ forceCloseConnections: true });
  const signals: AbortSignal[] = [];
  const ask: (() => void)[] = [];
  app.get('/endless', (_request, reply) => {
    signals.push(clientLeft(reply));
    ask.push(() => signals.push(clientLeft(reply)));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  client.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
  await vi.waitFor(() => expect(signals).toHaveLength(2));
  client.destroy();
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]));
  for (const again of ask) again();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]);
  await app.close();
});
