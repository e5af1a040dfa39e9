import { describe, expect, it } from 'vitest';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { exchange, openConnection, request } from './raw-client.fixture.js';
import { openVisitorPort } from './visitor-port.fixture.js';

const PERMANENT = redirectOf('permanent.example', { destination: 'https://new.example/home' });
const TEMPORARY = redirectOf('temporary.example', { redirectType: 'temporary' });
const FORWARDING = redirectOf('forwarding.example', {
  destination: 'https://new.example/base?own=1#end',
  pathForwarding: true,
  queryForwarding: true,
});
const SELF = redirectOf('self.example', { destination: 'http://self.example/home' });
const ALL = [PERMANENT, TEMPORARY, FORWARDING, SELF];

describe('a visitor of a redirect', () => {
  it('gets 301 with the destination and may keep it for five minutes', async () => {
    const { port, counts } = await openVisitorPort(ALL);
    const { statusCode, headers, body } = await exchange(port, request('/any?thing', 'permanent.example'));
    expect(statusCode).toBe(301);
    expect(headers).toMatchObject({
      location: 'https://new.example/home',
      'cache-control': 'public, max-age=300',
      'content-length': '0',
    });
    expect(body).toBe('');
    expect(counts.redirect).toBe(1);
  });

  it('gets 302 and may not keep it when the redirect is temporary', async () => {
    const { port } = await openVisitorPort(ALL);
    const { statusCode, headers } = await exchange(port, request('/', 'temporary.example'));
    expect(statusCode).toBe(302);
    expect(headers).toMatchObject({ location: 'https://destination.example', 'cache-control': 'no-store' });
  });

  it.each(['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PURGE'])('gets it with %s too', async (method) => {
    const { port } = await openVisitorPort(ALL);
    const { statusCode, headers } = await exchange(port, request('/', 'permanent.example', { method }));
    expect(statusCode).toBe(301);
    expect(headers['content-length']).toBe('0');
  });

  it('gets it after a counted body and can go on with the connection', async () => {
    const { port } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    const headers = ['Content-Length: 5'];
    connection.send(`${request('/', 'permanent.example', { method: 'POST', headers })}hello`);
    expect((await connection.answer()).statusCode).toBe(301);
    connection.send(request('/', 'temporary.example'));
    expect((await connection.answer()).statusCode).toBe(302);
    expect(connection.unread()).toBe('');
  });

  it('gets it after a chunked body, and the connection ends', async () => {
    const { port } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    const headers = ['Transfer-Encoding: Chunked'];
    const body = '5\r\nhello\r\n0\r\n\r\n';
    connection.send(request('/', 'permanent.example', { method: 'POST', headers }) + body);
    expect((await connection.answer()).statusCode).toBe(301);
    expect(await connection.closed()).toBe('');
  });

  it.each([
    ['Content-Length: 0', 'Content-Length: 5'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  ])('is refused, and the connection ended, where its body may end in two places: %s', async (...headers) => {
    const { port, recorder } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    connection.send(request('/', 'permanent.example', { headers }));
    expect((await connection.answer()).statusCode).toBe(400);
    expect(await connection.closed()).toBe('');
    expect(recorder.hits).toHaveLength(0);
  });

  it.each([
    { name: 'in two places', head: 'Content-Length: 0\r\nContent-Length: 9', body: '', status: 400 },
    { name: 'after chunks', head: 'Transfer-Encoding: chunked', body: '0\r\n\r\n', status: 404 },
  ])(
    'is the last of its connection as a HEAD too where its body ends $name',
    async ({ head, body, status }) => {
      const { port } = await openVisitorPort(ALL);
      const connection = await openConnection(port);
      connection.send(request('/', 'unknown.example', { method: 'HEAD', headers: [head] }) + body);
      const { statusCode, headers } = await connection.answer(true);
      expect(statusCode).toBe(status);
      expect(headers).toMatchObject({
        connection: 'close',
        'content-length': expect.stringMatching(/^[1-9]\d$/),
      });
      expect(await connection.closed()).toBe('');
    },
  );

  it.each([
    { name: 'a chunk ended by a line feed', head: 'Transfer-Encoding: chunked', body: '0\n\n' },
    { name: 'an encoding nobody knows', head: 'Transfer-Encoding: xchunked', body: '0\r\n\r\n' },
    { name: 'two lengths', head: 'Content-Length: 0\r\nContent-Length: 9', body: '' },
    {
      name: 'a length and an encoding after an empty one',
      head: 'Content-Length: 5\r\nTransfer-Encoding:\r\nTransfer-Encoding: chunked',
      body: '0\r\n\r\n',
    },
    {
      name: 'a length after an empty one, through a proxy',
      head: 'Via: 1.1 proxy.example\r\nContent-Length:\r\nContent-Length: 9',
      body: '',
    },
    {
      name: 'an encoding after an empty one, through a proxy',
      head: 'X-Forwarded-For: 192.0.2.1\r\nTransfer-Encoding: \r\nTransfer-Encoding: chunked',
      body: '',
    },
  ])('cannot hide a second request behind $name', async ({ head, body }) => {
    const { port } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    const hidden = request('/hidden', 'temporary.example');
    connection.send(request('/', 'permanent.example', { headers: [head] }) + body + hidden);
    expect(await connection.closed()).not.toContain('302 Found');
  });

  it.each(['PERMANENT.example', 'permanent.example:8080', 'permanent.example.', 'Permanent.Example.:80'])(
    'is recognised by Host: %s',
    async (host) => {
      const { port } = await openVisitorPort(ALL);
      expect((await exchange(port, request('/', host))).statusCode).toBe(301);
    },
  );

  it('gets the answers to pipelined requests in order', async () => {
    const { port } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    const targets = ['/1', '/2', '/3', '/4'];
    connection.send(targets.map((target) => request(target, 'forwarding.example')).join(''));
    for (const target of targets) {
      const { headers } = await connection.answer();
      expect(headers.location).toBe(`https://new.example/base${target}?own=1#end`);
    }
  });

  it('sees a change from the next request on', async () => {
    const { port, table } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    const ask = async () => {
      connection.send(request('/', 'temporary.example'));
      return (await connection.answer()).headers.location;
    };
    expect(await ask()).toBe('https://destination.example');
    table.apply({
      version: { epoch: 1_700_000_000, seq: 2 },
      previousSeq: 1,
      changes: [{ host: TEMPORARY.host, redirect: { ...TEMPORARY, destination: 'https://changed.example' } }],
    });
    expect(await ask()).toBe('https://changed.example');
  });
});

describe('forwarding', () => {
  it.each([
    { target: '/a/b?x=1', location: 'https://new.example/base/a/b?own=1&x=1#end' },
    { target: '/%2F%zz/../é%C3%A9', location: 'https://new.example/base/%2F%zz/../%C3%A9%C3%A9?own=1#end' },
    { target: '//evil.example/', location: 'https://new.example/base//evil.example/?own=1#end' },
    { target: '/?', location: 'https://new.example/base?own=1#end' },
    { target: '/?a=%0d%0aSet-Cookie:x', location: 'https://new.example/base?own=1&a=%0d%0aSet-Cookie:x#end' },
    { target: '/a?b?c&&=', location: 'https://new.example/base/a?own=1&b?c&&=#end' },
  ])('keeps the bytes of $target', async ({ target, location }) => {
    const { port } = await openVisitorPort(ALL);
    const onTheWire = Buffer.from(target).toString('latin1');
    const { headers } = await exchange(port, request(onTheWire, 'forwarding.example'));
    expect(headers.location).toBe(location);
  });

  it.each(['/\xff', '/ok?q=\xff\xfe'])('refuses %j, whose bytes are not UTF-8', async (target) => {
    const { port, counts, recorder } = await openVisitorPort(ALL);
    const { statusCode, headers, body } = await exchange(port, request(target, 'forwarding.example'));
    expect(statusCode).toBe(400);
    expect(headers.location).toBeUndefined();
    expect(body).toContain('Percent-encode');
    expect(counts).toMatchObject({ refused: 1, redirect: 0 });
    expect(recorder.hits[0]).toMatchObject({ statusCode: 400 });
  });

  it('does not mind such bytes where nothing is forwarded', async () => {
    const { port } = await openVisitorPort(ALL);
    expect((await exchange(port, request('/\xff', 'permanent.example'))).statusCode).toBe(301);
    expect((await exchange(port, request('/\xff', 'self.example'))).statusCode).toBe(301);
  });

  it.each(['\r\nX-Injected: 1', '\nX-Injected: 1', '\rX-Injected: 1', '%0d%0aX-Injected: 1', '\0'])(
    'lets no header be injected by %j in the target',
    async (injection) => {
      const { port } = await openVisitorPort(ALL);
      const connection = await openConnection(port);
      connection.send(request(`/a${injection}?b${injection}`, 'forwarding.example'));
      // The addon waits for more after a carriage return in the target. By this answer it has read the target.
      await exchange(port, request('/', 'permanent.example'));
      expect(connection.unread()).toMatch(/^$|^HTTP\/1\.1 (301|400|505) /);
      expect(connection.unread()).not.toMatch(/^x-injected/im);
    },
  );
});

describe('a redirect that leads to what was asked for', () => {
  it.each(['self.example', 'SELF.example.', 'self.example:80'])('answers 508 to Host: %s', async (host) => {
    const { port, counts, recorder } = await openVisitorPort(ALL);
    const { statusCode, headers, body } = await exchange(port, request('/home', host));
    expect(statusCode).toBe(508);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(headers.location).toBeUndefined();
    expect(body).toBe('This redirect leads to itself.\n');
    expect(counts).toMatchObject({ loop: 1, redirect: 0 });
    expect(recorder.requestsOf(SELF.id)).toBe(1);
    expect(recorder.hits[0]).toMatchObject({ statusCode: 508, location: 'http://self.example/home' });
  });

  it('answers other addresses of the same host', async () => {
    const { port } = await openVisitorPort(ALL);
    for (const target of ['/', '/home/', '/home?x']) {
      expect((await exchange(port, request(target, 'self.example'))).statusCode).toBe(301);
    }
  });
});

describe('a request that meets no redirect', () => {
  it('gets a short 404 that may not be kept when its host is unknown', async () => {
    const { port, counts, recorder } = await openVisitorPort(ALL);
    const { statusCode, headers, body } = await exchange(port, request('/', 'unknown.example'));
    expect(statusCode).toBe(404);
    expect(body).toBe('There is no redirect for this host.\n');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(body.length),
    });
    expect(counts.notFound).toBe(1);
    expect(recorder.hits).toHaveLength(0);
  });

  it('gets the same without the body when it is a HEAD, and the connection goes on', async () => {
    const { port } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    connection.send(request('/', 'unknown.example', { method: 'HEAD' }));
    const { statusCode, headers } = await connection.answer(true);
    expect(statusCode).toBe(404);
    expect(headers['content-length']).toBe('36');
    connection.send(request('/', 'permanent.example'));
    expect((await connection.answer()).statusCode).toBe(301);
  });

  it.each(['', ' ', '\t'])('gets 400 when its Host is %j', async (host) => {
    const { port, counts } = await openVisitorPort(ALL);
    expect((await exchange(port, request('/', host))).statusCode).toBe(400);
    expect(counts.refused).toBe(1);
  });

  it.each(['permanent.example', ''])(
    'gets 400 when it names two hosts, the first one being "%s"',
    async (host) => {
      const { port, counts } = await openVisitorPort(ALL);
      const connection = await openConnection(port);
      connection.send(request('/', host, { headers: ['Host: temporary.example'] }));
      expect((await connection.answer()).statusCode).toBe(400);
      await connection.closed();
      expect(counts).toMatchObject({ redirect: 0 });
    },
  );

  it('gets 400 when it names two hosts and says that it has passed a proxy, whatever header names its address', async () => {
    const { port } = await openVisitorPort(ALL, { clientIpHeader: 'cf-connecting-ip' });
    const headers = ['X-Forwarded-For: 192.0.2.1', 'Host: temporary.example'];
    expect((await exchange(port, request('/', 'permanent.example', { headers }))).statusCode).toBe(400);
  });

  it.each([':80', '.', '..', '[::1]:80', 'a b', '\xff', '__proto__', 'permanent.example:', 'x'.repeat(300)])(
    'gets an answer for the odd Host %j',
    async (host) => {
      const { port } = await openVisitorPort(ALL);
      expect([301, 400, 404]).toContain((await exchange(port, request('/', host))).statusCode);
    },
  );

  it('gets 400 without Host', async () => {
    const { port, counts } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    connection.send('GET / HTTP/1.1\r\n\r\n');
    expect((await connection.answer()).statusCode).toBe(400);
    await connection.closed();
    expect(counts).toMatchObject({ redirect: 0, refused: 0, notFound: 0 });
  });

  it.each([
    { name: 'HTTP/1.0', text: 'GET / HTTP/1.0\r\nHost: permanent.example\r\n\r\n' },
    { name: 'an absolute target', text: request('http://permanent.example/', 'permanent.example') },
    { name: 'no HTTP at all', text: 'hello world\r\n\r\n' },
  ])(
    'is refused with 505 and closed when it is $name, and the setting of nginx is named',
    async ({ text }) => {
      const { port } = await openVisitorPort(ALL);
      const connection = await openConnection(port);
      connection.send(text);
      const refusal = await connection.closed();
      expect(refusal).toMatch(/^HTTP\/1\.1 505 /);
      expect(refusal).toContain('proxy_http_version 1.1;');
    },
  );

  it.each(['CONNECT'])('gets 405 with the allowed methods for %s, whatever the host', async (method) => {
    const { port, counts, recorder } = await openVisitorPort(ALL);
    for (const host of ['permanent.example', 'unknown.example']) {
      const connection = await openConnection(port);
      connection.send(request('/a?b', host, { method, headers: ['Content-Length: 5'] }));
      const { statusCode, headers, body } = await connection.answer();
      expect(statusCode).toBe(405);
      expect(headers).toMatchObject({ allow: expect.stringContaining('GET, HEAD'), connection: 'close' });
      expect(body).not.toContain('/a?b');
      await connection.closed();
    }
    expect(counts).toMatchObject({ refused: 2, redirect: 0, notFound: 0 });
    expect(recorder.hits).toEqual([]);
  });

  it('is not answered when it follows a CONNECT on the same connection', async () => {
    const { port, counts } = await openVisitorPort(ALL);
    const connection = await openConnection(port);
    connection.send(
      request('/', 'permanent.example', { method: 'CONNECT' }) + request('/', 'permanent.example'),
    );
    expect(await connection.closed()).not.toContain('301');
    expect(counts).toMatchObject({ redirect: 0 });
  });

  it('gets 503 while there is no ruleset', async () => {
    const { port, counts } = await openVisitorPort(undefined);
    const { statusCode, headers } = await exchange(port, request('/', 'permanent.example'));
    expect(statusCode).toBe(503);
    expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
    expect(counts.notReady).toBe(1);
  });
});

describe('a failure inside the handler', () => {
  it('ends its own connection only', async () => {
    const { port, counts, recorder } = await openVisitorPort(ALL);
    const countRequest = recorder.countRequest;
    recorder.countRequest = () => {
      throw new Error('made to fail');
    };
    const unlucky = await openConnection(port);
    unlucky.send(request('/', 'permanent.example'));
    expect(await unlucky.closed()).toBe('');
    recorder.countRequest = countRequest;
    expect((await exchange(port, request('/', 'permanent.example'))).statusCode).toBe(301);
    expect(counts).toMatchObject({ failed: 1, redirect: 1 });
  });
});
