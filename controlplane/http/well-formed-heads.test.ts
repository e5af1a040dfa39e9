import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useErrorAnswers } from './error-answers.js';
import { nodeServerOptions, useWellFormedHeads } from './well-formed-heads.js';

const app = Fastify({ http: nodeServerOptions });
let port: number;

beforeAll(async () => {
  useErrorAnswers(app);
  useWellFormedHeads(app);
  app.get('/', async () => 'taken');
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => app.close());

async function answerTo(...lines: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  await once(socket, 'close');
  return text;
}

describe('a request head', () => {
  it.each([
    { name: 'names its host', lines: ['GET / HTTP/1.1', 'Host: a.example'] },
    { name: 'is of HTTP/1.0, without a host', lines: ['GET / HTTP/1.0'] },
    { name: 'expects what nobody knows', lines: ['GET / HTTP/1.1', 'Host: a.example', 'Expect: wonders'] },
  ])('that $name is taken', async ({ lines }) => {
    expect(await answerTo(...lines)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*taken$/);
  });

  it.each([
    { name: 'names no host', lines: ['GET / HTTP/1.1'] },
    { name: 'names two hosts', lines: ['GET / HTTP/1.1', 'Host: a.example', 'host: b.example'] },
    { name: 'names two hosts in HTTP/1.0', lines: ['GET / HTTP/1.0', 'Host: a.example', 'Host: a.example'] },
    { name: 'claims another version', lines: ['GET / HTTP/2.0', 'Host: a.example'] },
  ])('that $name is refused in the envelope', async ({ lines }) => {
    const [head = '', body = ''] = (await answerTo(...lines)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });
});
