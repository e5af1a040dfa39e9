import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../webhooks/certificate.fixture.js';
import type { FindAddresses } from '../webhooks/host-addresses.js';
import { createGuardedLookup, isPublicAddress } from '../webhooks/public.js';
import { createDestinationCheck, createSitePauses } from './destination-check.js';
import { createDestinationRequest } from './destination-request.js';

const LOOPBACK = [{ address: '127.0.0.1', family: 4 }] as const;
const authority = createCertificateAuthority();
const signal = new AbortController().signal;

let server: http.Server;
let port: number;
/** Method and path of each request. */
let requests: string[] = [];
let userAgents: (string | undefined)[] = [];
let sentBytes = 0;

const routes: Readonly<
  Record<string, (request: http.IncomingMessage, response: http.ServerResponse) => void>
> = {
  '/ok': (_, response) => response.end('fine'),
  '/missing': (_, response) => response.writeHead(404).end(),
  '/no-head': ({ method }, response) => response.writeHead(method === 'HEAD' ? 405 : 200).end(),
  '/odd-head': ({ method }, response) => response.writeHead(method === 'HEAD' ? 500 : 200).end(),
  '/head-resets': ({ method, socket }, response) => (method === 'HEAD' ? socket.destroy() : response.end()),
  '/resets': ({ socket }) => socket.destroy(),
  '/hangs': () => undefined,
  '/later': (_, response) => response.writeHead(429, { 'retry-after': '1200' }).end(),
  '/slow-body': ({ method }, response) => {
    response.writeHead(method === 'HEAD' ? 405 : 200);
    if (method === 'HEAD') {
      response.end();
      return;
    }
    const chunk = Buffer.alloc(64 * 1024);
    const write = () => {
      while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
    };
    response.on('drain', write);
    write();
  },
  '/round': (_, response) => response.writeHead(302, { location: '/again' }).end(),
  '/again': (_, response) => response.writeHead(301, { location: '/round#part' }).end(),
  '/moved': (_, response) => response.writeHead(308, { location: '/ok' }).end(),
  '/mailto': (_, response) => response.writeHead(302, { location: 'mailto:a@example.com' }).end(),
  '/inside': (_, response) => response.writeHead(302, { location: 'http://inside.site/ok' }).end(),
};

beforeAll(async () => {
  server = http.createServer((request, response) => {
    const { method, url = '', headers } = request;
    requests.push(`${method} ${url}`);
    userAgents.push(headers['user-agent']);
    const long = /^\/long\/(\d+)$/.exec(url);
    if (long !== null) response.writeHead(302, { location: `/long/${Number(long[1]) + 1}` }).end();
    else routes[url]?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
  userAgents = [];
});

function checkWith(options: {
  findAddresses?: FindAddresses;
  mayConnectTo?: (address: string) => boolean;
  intervalMs?: number;
  requestTimeoutMs?: number;
}) {
  const { findAddresses = async () => LOOPBACK, mayConnectTo = () => true, intervalMs = 0 } = options;
  const { requestTimeoutMs = 100_000 } = options;
  const check = createDestinationCheck({
    request: createDestinationRequest({
      lookup: createGuardedLookup(findAddresses, mayConnectTo),
      userAgent: 'Waymark-Destination-Check/1 (+https://api.example/docs)',
      authorities: [authority.cert],
    }),
    takeTurn: createSitePauses(intervalMs),
    requestTimeoutMs,
  });
  return (path: string, base = `http://site.example:${port}`) => check(new URL(path, base).href, signal);
}

describe('a check of a destination', () => {
  const check = checkWith({});

  it.each([
    ['/ok', { statusCode: 200, error: null }, ['HEAD /ok']],
    ['/missing', { statusCode: 404, error: null }, ['HEAD /missing', 'GET /missing']],
    ['/no-head', { statusCode: 200 }, ['HEAD /no-head', 'GET /no-head']],
    ['/odd-head', { statusCode: 200 }, ['HEAD /odd-head', 'GET /odd-head']],
    ['/head-resets', { statusCode: 200 }, ['HEAD /head-resets', 'GET /head-resets']],
    ['/resets', { statusCode: null, error: 'connection_failed', responseTimeMs: null }, undefined],
    ['/later', { statusCode: 429, retryAfterSeconds: 1200 }, ['HEAD /later']],
    ['/mailto', { statusCode: null, error: 'invalid_redirect' }, ['HEAD /mailto']],
    ['/moved', { statusCode: 200, redirects: [{ statusCode: 308, location: '/ok' }] }, undefined],
    ['/round', { error: 'redirect_loop' }, ['HEAD /round', 'HEAD /again']],
  ])('of %s finds %j', async (path, expected, sent) => {
    expect(await check(path)).toMatchObject(expected);
    if (sent !== undefined) expect(requests).toEqual(sent);
  });

  it('waits for a server that hangs no longer than it may', async () => {
    const hasty = checkWith({ requestTimeoutMs: 200 });
    expect(await hasty('/hangs')).toMatchObject({
      statusCode: null,
      error: 'timed_out',
      responseTimeMs: null,
    });
  });

  it('follows a bounded number of redirects', async () => {
    const result = await check('/long/0');
    expect(result).toMatchObject({ error: 'too_many_redirects', statusCode: null });
    expect(result?.redirects).toHaveLength(10);
    expect(requests).toHaveLength(11);
  });

  it('does not read the body of an answer', async () => {
    expect(await check('/slow-body')).toMatchObject({ statusCode: 200, error: null });
    // The system buffers some data between two sockets.
    expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
  });

  it('says who asks', async () => {
    await check('/ok');
    expect(userAgents).toEqual(['Waymark-Destination-Check/1 (+https://api.example/docs)']);
  });

  it('reports a server that refuses connections or closes them at once', async () => {
    const closing = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const { port: closingPort } = closing.address() as AddressInfo;
    const base = `http://site.example:${closingPort}`;
    expect(await check('/', base)).toMatchObject({ error: 'connection_failed' });
    closing.close();
    await once(closing, 'close');
    expect(await check('/', base)).toMatchObject({ error: 'connection_failed' });
  });

  it('reports a name without addresses', async () => {
    const failing = checkWith({ findAddresses: () => Promise.reject(new Error('no such name')) });
    expect(await failing('/ok')).toMatchObject({ error: 'name_not_resolved' });
  });

  it('ends with the signal', async () => {
    const stopping = new AbortController();
    const request = createDestinationRequest({
      lookup: createGuardedLookup(
        async () => LOOPBACK,
        () => true,
      ),
      userAgent: 'test',
    });
    const running = createDestinationCheck({ request, takeTurn: createSitePauses(0) });
    const ended = running(`http://site.example:${port}/hangs`, stopping.signal);
    const refused = expect(ended).rejects.toThrow('stopping');
    await expect.poll(() => requests).toContain('HEAD /hangs');
    stopping.abort(new Error('stopping'));
    await refused;
  });
});

describe('a check over TLS', () => {
  const check = checkWith({});
  const serve = async (name: string, notAfter?: string) => {
    const secure = https.createServer(authority.issue(name, notAfter), (_, response) => response.end());
    secure.listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const { port: securePort } = secure.address() as AddressInfo;
    try {
      return await check('/', `https://site.example:${securePort}`);
    } finally {
      secure.closeAllConnections();
      secure.close();
    }
  };

  it('tells when the certificate expires', async () => {
    expect(await serve('site.example')).toMatchObject({
      statusCode: 200,
      tlsExpiresAt: '2120-01-01T00:00:00.000Z',
    });
  });

  it('fails for a certificate that has expired, or is for another name', async () => {
    expect(await serve('site.example', '20210101000000Z')).toMatchObject({ error: 'certificate_expired' });
    expect(await serve('other.example')).toMatchObject({ error: 'tls_failed' });
  });

  it('fails for a server that speaks no TLS', async () => {
    expect(await check('/', `https://site.example:${port}`)).toMatchObject({ error: 'tls_failed' });
  });
});

describe('private networks', () => {
  it('are refused, by address and by name', async () => {
    const check = checkWith({ mayConnectTo: isPublicAddress });
    expect(await check('/ok')).toMatchObject({ error: 'address_refused' });
    const byAddress = checkWith({
      mayConnectTo: isPublicAddress,
      findAddresses: async (host) => [{ address: host, family: 4 }],
    });
    expect(await byAddress('/ok', `http://127.0.0.1:${port}`)).toMatchObject({ error: 'address_refused' });
    expect(requests).toEqual([]);
  });

  it('are refused after a redirect', async () => {
    const check = checkWith({
      findAddresses: async (host) =>
        host === 'inside.site' ? [{ address: '10.0.0.1', family: 4 }] : LOOPBACK,
      mayConnectTo: (address) => address === '127.0.0.1',
    });
    expect(await check('/inside')).toMatchObject({
      error: 'address_refused',
      redirects: [{ location: 'http://inside.site/ok' }],
    });
  });

  it('are refused when a name changes its addresses after it was checked', async () => {
    const answers = [[...LOOPBACK], [{ address: '10.0.0.1', family: 4 }]];
    let asked = 0;
    const check = checkWith({
      findAddresses: async () => answers[Math.min(asked++, 1)] ?? [],
      mayConnectTo: (address) => address === '127.0.0.1',
    });
    // The second lookup is for GET. HEAD connected to the checked addresses.
    expect(await check('/no-head')).toMatchObject({ error: 'address_refused' });
    expect([asked, requests]).toEqual([2, ['HEAD /no-head']]);
  });
});

describe('pauses between requests', () => {
  it('are kept for each site', () => {
    const takeTurn = createSitePauses(60_000);
    expect(takeTurn('a.example', 100_000)).toBe(0);
    expect(takeTurn('b.example', 100_000)).toBe(0);
    const second = takeTurn('a.example', 100_000) ?? 0;
    expect(second).toBeGreaterThan(59_000 - 1_000);
    expect(second).toBeLessThanOrEqual(60_000);
    // The third one would be too late. It does not delay others.
    expect(takeTurn('a.example', 100_000)).toBeUndefined();
    expect(takeTurn('a.example', 130_000)).toBeDefined();
  });

  it('end a check that gets no turn', async () => {
    const check = checkWith({ intervalMs: 120_000 });
    expect(await check('/ok')).toMatchObject({ statusCode: 200 });
    expect(await check('/ok')).toBeUndefined();
  });
});
