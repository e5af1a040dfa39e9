import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isAnswerOver, onceAnswerOver } from './answer-over.js';

let app: FastifyInstance;
let port: number;
let sockets: Socket[];
let replies: FastifyReply[];
const over = vi.fn();

beforeEach(async () => {
  app = Fastify({ forceCloseConnections: true });
  sockets = [];
  replies = [];
  over.mockReset();
  app.server.on('connection', (socket) => sockets.push(socket));
  app.get('/answered', async (_request, reply) => {
    onceAnswerOver(reply, over);
    return 'answer';
  });
  app.get('/endless', (_request, reply) => {
    replies.push(reply);
    onceAnswerOver(reply, over);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterEach(() => app.close());

it('reports the end of all pipelined answers of a closed connection, with one listener', async () => {
  const client = connect(port, '127.0.0.1').on('error', () => {});
  client.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20));
  await vi.waitFor(() => expect(replies).toHaveLength(20));
  expect(over).not.toHaveBeenCalled();
  expect(sockets[0]?.listenerCount('close')).toBeLessThan(10);
  client.destroy();
  await vi.waitFor(() => expect(over).toHaveBeenCalledTimes(20));

  const [reply] = replies as [FastifyReply];
  expect(isAnswerOver(reply)).toBe(true);
  onceAnswerOver(reply, over);
  expect(over).toHaveBeenCalledTimes(21);
});

it('reports each answer of an open connection once', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const listeners = new Set<number | undefined>();
  for (let answers = 1; answers <= 20; answers += 1) {
    const [answer] = await once(get({ port, path: '/answered', agent }), 'response');
    await text(answer);
    await vi.waitFor(() => expect(over).toHaveBeenCalledTimes(answers));
    listeners.add(sockets[0]?.listenerCount('close'));
  }
  expect(sockets).toHaveLength(1);
  expect(Math.max(...[...listeners].map(Number))).toBeLessThan(10);
  agent.destroy();
  await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true));
  expect(over).toHaveBeenCalledTimes(20);
});
