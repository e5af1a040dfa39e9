import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { clientLeft } from './client-left.js';

it('tells of a client that closes its connection, and not of one that has its answer', async () => {
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
