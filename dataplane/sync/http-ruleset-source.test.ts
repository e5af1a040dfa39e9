import type http from 'node:http';
import { type Logger, pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import { encodeDelta } from '../../shared/ruleset/ruleset-codec.js';
import { DELTA_MEDIA_TYPE } from '../../shared/ruleset/ruleset-document.js';
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
const { body, headers } = await documentOf(SNAPSHOT);
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
    const read = await source.read(undefined);
    expect(read && 'redirects' in read && listed(read)).toEqual(SNAPSHOT);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      url: '/internal/ruleset',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  });

  it('is asked for by what is known, and may be a delta', async () => {
    const known = { epoch: 1_700_000_000, seq: 8, lineage: 'aaaaaaaaaaaa-000000000001', removals: 3 };
    const delta = {
      version: { epoch: 1_700_000_000, seq: 9 },
      previousSeq: 8,
      changes: [{ host: 'gone.example', redirect: null }],
    };
    const { source, server } = await sourceOf((_request, response) =>
      response.writeHead(200, { 'Content-Type': DELTA_MEDIA_TYPE }).end(encodeDelta(delta)),
    );
    expect(await source.read(known)).toEqual(delta);
    const { searchParams } = new URL(server.requests[0]!.url!, server.url);
    expect(searchParams.get('since')).toBe('1700000000.8 aaaaaaaaaaaa-000000000001 3');
  });

  it('is not sent again to who has it', async () => {
    const { source } = await sourceOf((_request, response) => response.writeHead(204).end());
    expect(await source.read(SNAPSHOT.version)).toBeUndefined();
  });

  it('is told to be in the making by the control plane', async () => {
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The ruleset is being built, 4 of 9 redirects.' };
    const failure = await failureOf((_request, response) =>
      response.writeHead(503).end(JSON.stringify({ error })),
    );
    expect(failure).toContain('it answered 503: The ruleset is being built, 4 of 9 redirects.');
  });

  it('leaves out a redirect that cannot be served, and says of which host and field', async () => {
    const broken = { ...redirectOf('broken.example'), samplingRate: 7 };
    const redirects = [redirectOf('good.example'), broken, redirectOf('other.example')];
    const sent = await documentOf({ version: SNAPSHOT.version, redirects });
    const lines: string[] = [];
    const { source } = await sourceOf(
      (_request, response) => response.writeHead(200, sent.headers).end(sent.body),
      { logger: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }) },
    );
    const read = await source.read(undefined);
    expect(read && 'redirects' in read && read.redirects.length).toBe(2);
    expect(lines.join()).toMatch(/broken\.example.*samplingRate must be/);
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
  const changed = Buffer.from(body);
  changed[body.length - 30] = changed[body.length - 30]! ^ 1;
  const isDelta = { 'Content-Type': DELTA_MEDIA_TYPE };

  it.each<[string, number, http.OutgoingHttpHeaders, Buffer, RegExp]>([
    ['changed in one byte', 200, headers, changed, /checksum/],
    ['of an older release', 200, { 'Content-Type': 'application/x-ndjson' }, body, /a release before/],
    ['of no type', 200, {}, body, /no control plane/],
    ['cut short', 200, headers, body.subarray(0, -100), /ends before/],
    ['too long', 200, headers, Buffer.concat([body, body]), /goes on after/],
    ['empty', 200, headers, Buffer.alloc(0), /ends before/],
    ['a page of something else', 200, headers, Buffer.from('<html>\n</html>\n'), /no JSON/],
    ['a delta that is none', 200, isDelta, body, /checksum/],
    ['204 to who has nothing', 204, {}, Buffer.alloc(0), /204/],
    ['503 of something else', 503, {}, Buffer.from('<html>'), /it answered 503$/],
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

  it('is refused when it is too long', async () => {
    const failure = await failureOf((_request, response) => response.writeHead(200, headers).end(body), {
      maxBytes: 1_000,
    });
    expect(failure).toMatch(/longer than 1000 bytes/);
  });
});
