import type http from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Logger, pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { listed } from './cold/listed.fixture.js';
import { createHttpRulesetSource, type HttpRulesetSourceDeps } from './http-ruleset-source.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { documentOf, startRulesetServer } from './ruleset-server.fixture.js';

const SECRET_KEY = Buffer.from('a secret for tests only');
const TOKEN = deriveInternalToken(SECRET_KEY);
const SNAPSHOT: RulesetSnapshot = {
  version: { epoch: 1_700_000_000, seq: 9 },
  redirects: Array.from({ length: 2_000 }, (_, i) => redirectOf(`host-${i}.example`)),
};
const { body, headers } = documentOf(SNAPSHOT);
const logger: Logger = pino({ level: 'silent' });

async function sourceOf(answer: http.RequestListener, given: Partial<HttpRulesetSourceDeps> = {}) {
  const server = await startRulesetServer(answer);
  const source = createHttpRulesetSource({ url: server.url, secretKey: SECRET_KEY, logger, ...given });
  return { source, server };
}

async function failureOf(
  answer: http.RequestListener,
  given?: Partial<HttpRulesetSourceDeps>,
): Promise<string> {
  const { source } = await sourceOf(answer, given);
  const failure = await source.read(undefined).then(
    () => undefined,
    (error: Error) => error,
  );
  expect(failure).toBeInstanceOf(Error);
  const shown = `${failure!.stack} ${String(failure!.cause)}`;
  expect(shown).not.toContain(TOKEN);
  return failure!.message;
}

describe('the ruleset from the control plane over HTTP', () => {
  it('is read whole, by the token of the installation', async () => {
    const { source, server } = await sourceOf((_request, response) =>
      response.writeHead(200, headers).end(body),
    );
    expect(listed((await source.read(undefined))!)).toEqual(SNAPSHOT);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      url: '/internal/ruleset',
      headers: { authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'gzip' },
    });
    expect(server.requests[0]!.headers['if-none-match']).toBeUndefined();
  });

  it('is read compressed', async () => {
    const { source } = await sourceOf((_request, response) =>
      response.writeHead(200, { ...headers, 'Content-Encoding': 'gzip' }).end(gzipSync(body)),
    );
    expect(listed((await source.read({ epoch: 1_700_000_000, seq: 8 }))!)).toEqual(SNAPSHOT);
  });

  it('is not sent again to who has it', async () => {
    const { source, server } = await sourceOf((_request, response) => response.writeHead(304).end());
    expect(await source.read(SNAPSHOT.version)).toBeUndefined();
    expect(server.requests[0]!.headers['if-none-match']).toBe('"1700000000.9"');
  });

  it('is found behind a path of the control plane', async () => {
    const server = await startRulesetServer((_request, response) =>
      response.writeHead(200, headers).end(body),
    );
    const url = `${server.url}/waymark/`;
    await createHttpRulesetSource({ url, secretKey: SECRET_KEY, logger }).read(undefined);
    expect(server.requests[0]!.url).toBe('/waymark/internal/ruleset');
  });

  it.each(['control-plane:3000', 'ftp://host', 'http://user@host', 'http://user:hunter2@host', ''])(
    'is not asked for at %j',
    (url) => {
      const create = () => createHttpRulesetSource({ url, secretKey: SECRET_KEY, logger });
      expect(create).toThrow(/URL of the control plane/);
      expect(create).not.toThrow(/hunter2/);
    },
  );
});

describe('an answer that is no ruleset to serve', () => {
  const zipped = gzipSync(body);
  const changed = Buffer.from(body);
  changed[body.length - 30] = changed[body.length - 30]! ^ 1;
  const corrupt = Buffer.from(zipped);
  corrupt[zipped.length >> 1] = corrupt[zipped.length >> 1]! ^ 0xff;
  const asGzip = { ...headers, 'Content-Encoding': 'gzip' };

  it.each<[string, number, http.OutgoingHttpHeaders, Buffer, RegExp]>([
    ['changed in one byte', 200, headers, changed, /checksum|no redirect|no JSON|its \w+ must be/],
    ['under the checksum of another', 200, { 'Unencoded-Digest': 'sha-256=:AAAA:' }, body, /checksum/],
    ['without a checksum', 200, {}, body, /no checksum/],
    ['cut short', 200, headers, body.subarray(0, -100), /checksum/],
    ['empty', 200, headers, Buffer.alloc(0), /checksum/],
    ['a page of something else', 200, headers, Buffer.from('<html>\n</html>\n'), /no JSON/],
    ['damaged under its compression', 200, asGzip, corrupt, /refused|failed/],
    ['cut short under its compression', 200, asGzip, zipped.subarray(0, -200), /refused|failed/],
    ['304 to who has nothing', 304, {}, Buffer.alloc(0), /304/],
    ['401', 401, {}, Buffer.from('{}'), /SECRET_KEY differs/],
    ['404', 404, {}, Buffer.from('{}'), /404/],
    ['500', 500, headers, body, /500/],
    ['a part', 206, headers, body, /206/],
  ])('is refused: %s', async (_name, status, given, sent, reason) => {
    const failure = await failureOf((_request, response) => response.writeHead(status, given).end(sent));
    expect(failure).toMatch(/^no ruleset from the control plane at 127\.0\.0\.1:\d+: /);
    expect(failure).toMatch(reason);
  });

  it('is refused when it points elsewhere, where the token must not go', async () => {
    const elsewhere = await startRulesetServer((_request, response) =>
      response.writeHead(200, headers).end(body),
    );
    const location = `${elsewhere.url}/internal/ruleset`;
    expect(await failureOf((_request, response) => response.writeHead(307, { location }).end())).toMatch(
      /307/,
    );
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('is refused when it ends before it said it would', async () => {
    const failure = await failureOf((_request, response) => {
      response.writeHead(200, { ...headers, 'Content-Length': body.length });
      response.write(body.subarray(0, 10_000), () => response.destroy());
    });
    expect(failure).toMatch(/connection failed/);
  });

  it('is refused when nobody listens', async () => {
    const { source, server } = await sourceOf((_request, response) => response.end());
    server.stop();
    const read = source.read(undefined);
    await expect(read).rejects.toThrow(/ECONNREFUSED/);
  });

  it('is refused when it does not begin in time', async () => {
    expect(await failureOf(() => {}, { firstByteTimeoutMs: 50 })).toMatch(/did not begin .* within 50 ms/);
  });

  it('is refused when it begins but does not end in time', async () => {
    const failure = await failureOf(
      (_request, response) => void response.writeHead(200, headers).write(body.subarray(0, 100)),
      { firstByteTimeoutMs: 2_000, wholeTimeoutMs: 200 },
    );
    expect(failure).toMatch(/not complete within 200 ms/);
  });

  it('is refused when it is too long, even if it is short on its way', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'));
    const failure = await failureOf((_request, response) => response.writeHead(200, asGzip).end(bomb), {
      maxBytes: 1_000_000,
    });
    expect(failure).toMatch(/longer than 1000000 bytes/);
  });
});
