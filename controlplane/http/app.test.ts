import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../errors/error-codes.js';
import { type CallOptions, startApi, type TestApi } from './api.fixture.js';
import { exampleArea, INTERNAL_TEXT } from './example-area.fixture.js';
import { REFUSED_REQUESTS } from './refused-requests.fixture.js';

let api: TestApi;
const logged: string[] = [];

beforeAll(async () => {
  const logger = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
  api = await startApi({ areas: () => [exampleArea], logger });
});
afterAll(() => api.close());

const JSON_HEADERS = { 'content-type': 'application/json' };

describe('a request that is refused', () => {
  it.each(REFUSED_REQUESTS)('for $what is answered with $code', async (request) => {
    const { status, json } = await api.call(request.method, request.url, request.options);
    expect(json.error).toMatchObject({ code: request.code });
    expect(json.error.field).toBe(request.field);
    expect(json.error.message).toMatch(/^.{10,300}\.$/s);
    expect(status).toBe(ERROR_CODES[request.code].status);
  });

  it('gets a message that names the accepted values', async () => {
    const messageFor = async (body: unknown) =>
      (await api.call('POST', '/example/items', { body })).json.error.message;
    expect(await messageFor({ name: 'a', count: 0 })).toBe('count must be a whole number from 1 to 10.');
    expect(await messageFor({ name: 'a'.repeat(21) })).toBe('name must be a string of 1 to 20 characters.');
    expect(await messageFor({ name: 'a', x: 1 })).toBe(
      'x is not known here; known members are: name, count, parts, label.',
    );
    const parts = [{ weight: 1 }, { weight: 2 }, { weight: 3 }];
    expect(await messageFor({ name: 'a', parts })).toBe('parts must be an array of 0 to 2 items.');
    expect(await messageFor({ name: 'a', label: 5 })).toBe('label must be a string or true or false.');
    const { json } = await api.call('GET', '/example/items?interval=year');
    expect(json.error.message).toBe('interval must be one of: hour, day.');
  });

  it.each([
    ['GET', '/example/items?page=1&Interval=day', 'Interval', 'known query parameters are: page, interval.'],
    ['GET', '/example/items?toString=1', 'toString', 'known query parameters are: page, interval.'],
    ['POST', '/example/touch?dryRun=true', 'dryRun', 'this endpoint takes no query parameters.'],
  ])('is not taken with a query parameter that there is not: %s %s', async (method, url, field, known) => {
    const { status, json } = await api.call(method, url);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'INVALID_REQUEST', field });
    expect(json.error.message).toBe(`${field} is not known here${method === 'GET' ? '; ' : ': '}${known}`);
  });

  it('may have any query parameters on pages outside the API', async () => {
    expect((await api.app.inject({ url: '/openapi.json?v=2' })).statusCode).toBe(200);
    expect((await api.app.inject({ url: '/docs/?utm_source=mail' })).statusCode).toBe(200);
  });
});

describe('an accepted request', () => {
  it.each<{ what: string } & CallOptions>([
    {
      what: 'a charset',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"name":"a"}',
    },
    {
      what: 'a content type in capitals',
      headers: { 'content-type': 'Application/JSON' },
      body: '{"name":"a"}',
    },
    { what: 'a byte order mark', headers: JSON_HEADERS, body: '\ufeff{"name":"a"}' },
    {
      what: 'a body of almost 1 MiB',
      headers: JSON_HEADERS,
      body: `{"name":"a"${' '.repeat(1024 * 1024 - 12)}}`,
    },
    { what: 'blanks around its strings', body: { name: ' \t a\n ' } },
  ])('may have $what', async ({ what: _what, ...options }) => {
    const { status, json } = await api.call('POST', '/example/items', options);
    expect(status).toBe(200);
    expect(json).toEqual({ name: 'a' });
  });

  it.each<{ what: string } & CallOptions>([
    { what: 'nothing at all' },
    { what: 'the content type alone', headers: JSON_HEADERS },
    { what: 'the content type and an empty body', headers: JSON_HEADERS, body: '' },
    { what: 'an empty object', body: {} },
  ])('without a body to it may have $what', async ({ what: _what, ...options }) => {
    expect((await api.call('POST', '/example/touch', options)).status).toBe(200);
  });

  it('does not change the prototypes of objects', async () => {
    await api.call('POST', '/example/items', { headers: JSON_HEADERS, body: '{"__proto__":{"polluted":1}}' });
    expect('polluted' in {}).toBe(false);
  });

  it('may have blanks around the values of its query', async () => {
    const { json } = await api.call('GET', '/example/items?interval=%20hour%20&page=%202');
    expect(json).toEqual({ page: 2, interval: 'hour' });
  });

  it('may end its path with a slash', async () => {
    expect((await api.call('GET', '/example/items/')).json).toEqual({ page: 1, interval: 'day' });
  });
});

describe('a bearer token', () => {
  const unknown = `wm_${'x'.repeat(43)}`;

  it.each([
    ['is absent', undefined, 'MISSING_TOKEN'],
    ['is empty', '', 'MISSING_TOKEN'],
    ['is blank', ' \t', 'MISSING_TOKEN'],
    ['has no scheme', unknown, 'INVALID_TOKEN'],
    ['has another scheme', `Basic ${unknown}`, 'INVALID_TOKEN'],
    ['is missing behind the scheme', 'Bearer', 'INVALID_TOKEN'],
    ['is two', `Bearer ${unknown} ${unknown}`, 'INVALID_TOKEN'],
    ['is unknown', `Bearer ${unknown}`, 'INVALID_TOKEN'],
    ['is too short', 'Bearer wm_x', 'INVALID_TOKEN'],
    ['is very long', `Bearer wm_${'x'.repeat(10_000)}`, 'INVALID_TOKEN'],
    ['is not one of ours', 'Bearer sk_live_abc', 'INVALID_TOKEN'],
  ])('that %s is answered with 401', async (_what, authorization, code) => {
    const headers = authorization === undefined ? {} : { authorization };
    const { status, json, headers: answered } = await api.call('GET', '/auth/user', { headers });
    expect(status).toBe(401);
    expect(json.error.code).toBe(code);
    const challenge = code === 'MISSING_TOKEN' ? 'Bearer' : 'Bearer error="invalid_token"';
    expect(answered['www-authenticate']).toBe(challenge);
  });

  it('past its end is answered with 401 EXPIRED_TOKEN', async () => {
    const { token } = await api.createUser({ expiresAt: new Date(Date.now() - 1) });
    const { status, json, headers } = await api.call('GET', '/auth/user', { token });
    expect(status).toBe(401);
    expect(json.error.code).toBe('EXPIRED_TOKEN');
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  it('without the scope of the endpoint is answered with 403, which names the scope', async () => {
    const { token } = await api.createUser({ scopes: ['billing:write', 'redirects:read'] });
    const { status, json } = await api.call('GET', '/example/bill', { token });
    expect(status).toBe(403);
    expect(json.error.code).toBe('INSUFFICIENT_SCOPE');
    expect(json.error.message).toContain('billing:read');
  });

  it('with the scope is taken, with the scheme in any case', async () => {
    const { id, token } = await api.createUser({ scopes: ['billing:read'] });
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${token}` };
      expect((await api.call('GET', '/example/bill', { headers })).json).toEqual({ user: id });
    }
  });

  it('is ignored where none is required, and on unknown paths', async () => {
    expect((await api.call('POST', '/example/touch', { token: unknown })).status).toBe(200);
    expect((await api.call('GET', '/nothing', { token: unknown })).status).toBe(404);
  });

  it('is never logged', async () => {
    const { token } = await api.createUser();
    await api.call('GET', '/example/crash', { token });
    expect(logged.join()).not.toContain(token);
  });
});

describe('tokens that cannot be checked', () => {
  it('cause 503 only where a token is required', async () => {
    const cut = await startApi({
      database: api.database,
      areas: () => [exampleArea],
      app: { authenticate: () => Promise.reject(new Error(INTERNAL_TEXT)) },
    });
    const { status, json, body } = await cut.call('GET', '/example/bill', { token: 'any' });
    expect(status).toBe(503);
    expect(json.error.code).toBe('SERVICE_UNAVAILABLE');
    expect(body).not.toContain('internal');
    expect((await cut.call('POST', '/example/touch', { token: 'any' })).status).toBe(200);
    await cut.close();
  });
});

describe('a failure of the server', () => {
  it('shows no internal details; the log has its cause under the same request id', async () => {
    const { status, json, body, headers } = await api.call('GET', '/example/crash');
    expect(status).toBe(500);
    expect(json.error.code).toBe('INTERNAL_ERROR');
    expect(json.error.message).toContain('X-Request-Id');
    for (const word of ['ECONNREFUSED', 'internal:', 'hunter2', '.ts', 'stack'])
      expect(body).not.toContain(word);
    const line = logged.find((entry) => entry.includes(headers['x-request-id'] ?? ''));
    expect(line).toContain('db.internal');
  });

  it('that is an expected error shows its message; the log has the details', async () => {
    const { status, json, headers } = await api.call('GET', '/example/down');
    expect(status).toBe(503);
    expect(json).toEqual({ error: { code: 'SERVICE_UNAVAILABLE', message: 'It is down; retry later.' } });
    const line = logged.find((entry) => entry.includes(headers['x-request-id'] ?? ''));
    expect(line).toContain('db.internal');
  });

  it('has an id that callers cannot choose', async () => {
    const { headers } = await api.call('GET', '/example/crash', {
      headers: { 'x-request-id': 'chosen', 'request-id': 'chosen' },
    });
    expect(headers['x-request-id']).not.toBe('chosen');
  });
});

describe('on a real socket', () => {
  let port: number;
  beforeAll(async () => {
    port = Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port);
  });

  async function exchange(request: string): Promise<{ head: string; body: string }> {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(request);
    let text = '';
    for await (const chunk of socket) text += chunk;
    const [head = '', ...rest] = text.split('\r\n\r\n');
    return { head, body: rest.join('\r\n\r\n') };
  }

  it.each([
    ['what is no HTTP', 'hello\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n'],
    ['a length that is none', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
    [
      'two ways to say the length',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers of 100 KB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('%s is answered in the envelope, and the connection ends', async (_what, request) => {
    const { head, body } = await exchange(request);
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toContain('application/json');
    expect(head).toMatch(/^X-Request-Id: [\w-]+\r$/m);
    expect(head.match(/^X-RateLimit-(Limit|Remaining|Reset): \d+\r$/gm)).toHaveLength(3);
    expect(JSON.parse(body).error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.any(String) });
  });

  it('a body over 1 MiB without a Content-Length is cut off with 413', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const { head, body } = await exchange(
      `POST /example/items HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
    );
    expect(head).toMatch(/^HTTP\/1\.1 413 /);
    expect(JSON.parse(body).error.code).toBe('BODY_TOO_LARGE');
  });
});

describe('closing', () => {
  it('answers the running requests, and does not wait for clients that never finish their request', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const closing = await startApi({
      database: api.database,
      areas: () => [
        async (app) => {
          app.get('/slow', { config: { public: true } }, async () => {
            arrived();
            await answered;
            return {};
          });
        },
      ],
    });
    const origin = await closing.app.listen({ host: '127.0.0.1', port: 0 });
    const unfinished = connect({ port: Number(new URL(origin).port), host: '127.0.0.1' });
    unfinished.on('error', () => {});
    unfinished.write('POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{');
    const slow = fetch(`${origin}/slow`);
    await asked;

    const startedMs = performance.now();
    const closed = closing.close();
    answer();
    expect((await slow).status).toBe(200);
    await closed;
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    unfinished.destroy();
  });
});
