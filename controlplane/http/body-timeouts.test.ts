import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBodyTimeouts } from './body-timeouts.js';

let app: FastifyInstance;

beforeAll(async () => {
  app = Fastify();
  useBodyTimeouts(app);
  app.post('/short', { config: { bodyTimeoutMs: 100 } }, async () => 'taken');
  app.post('/long', { config: { bodyTimeoutMs: 60_000 } }, async () => 'taken');
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(() => app.close());

function send(path: string, body: string) {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n${body}`,
  );
  return socket;
}

it('a connection is closed when the body does not arrive in time', async () => {
  expect(await text(send('/short', 'ab')).catch(() => '')).toBe('');
});

it('a body that arrives in time is taken', async () => {
  expect(await text(send('/short', 'abcd'))).toMatch(/^HTTP\/1.1 200 .*taken$/s);
});

it('a route can allow more time', async () => {
  const hasted = send('/short', 'ab');
  const socket = send('/long', 'ab');
  await once(hasted.resume(), 'close');
  socket.write('cd');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*taken$/s);
});
