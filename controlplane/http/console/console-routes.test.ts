import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleFiles, readConsoleFiles } from './console-files.js';
import { type ConsoleOptions, useIndex } from './console-routes.js';

const PAGE = `<meta name="waymark-base-path" content="__BASE_PATH__" /><meta content="__SIGNUP__ __SESSION__" />
<script type="module" src="__BASE_PATH__/console/assets/main-1.js"></script>`;
const HTML = { accept: 'text/html,application/xhtml+xml' };
const JSON_INDEX = { name: 'Waymark', version: '1.0.0', docs: '/docs', openapi: '/openapi.json' };

let files: ConsoleFiles | undefined;
let app: FastifyInstance | undefined;

beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-console-'));
  await mkdir(path.join(folder, 'assets'));
  await writeFile(path.join(folder, 'index.html'), PAGE);
  await writeFile(
    path.join(folder, 'away.html'),
    '<script src="__BASE_PATH__/console/assets/away-3.js"></script>',
  );
  await writeFile(path.join(folder, 'worker.js'), 'a worker');
  await writeFile(path.join(folder, 'assets', 'main-1.js'), 'plain');
  await writeFile(path.join(folder, 'assets', 'main-1.js.br'), 'smaller');
  await writeFile(path.join(folder, 'assets', 'icon-2.svg'), '<svg/>');
  files = await readConsoleFiles(folder);
  await rm(folder, { recursive: true });
});
afterEach(() => app?.close());

function start(options: Partial<ConsoleOptions> | undefined = {}): FastifyInstance {
  const started = Fastify();
  useIndex(started, {
    version: '1.0.0',
    console: options && { basePath: '', signup: 'open', files, ...options },
  });
  app = started;
  return started;
}

const get = (url: string, headers: Record<string, string> = HTML) =>
  app!.inject({ method: 'GET', url, headers });

describe('/', () => {
  it('does not count for the rate limit of its caller, as the files of the console do not', async () => {
    const counted: string[] = [];
    app = Fastify();
    app.addHook('onRequest', async ({ routeOptions }) => {
      if (routeOptions.config.uncounted !== true) counted.push(String(routeOptions.url));
    });
    useIndex(app, { version: '1.0.0', console: { basePath: '', signup: 'open', files } });
    for (const url of ['/', '/console/', '/console/redirects', '/console/assets/main-1.js']) {
      expect((await get(url)).statusCode).toBe(200);
    }
    expect(counted).toEqual([]);
  });

  it.each([['*/*'], ['application/json'], ['']])('is JSON for a client that accepts "%s"', async (accept) => {
    start();
    const answer = await get('/', { accept });
    expect(answer.json()).toEqual(JSON_INDEX);
    expect(answer.headers.vary).toContain('Accept');
  });

  it('is JSON for browsers too without a console, and nothing is below /console', async () => {
    app = Fastify();
    useIndex(app, { version: '1.0.0' });
    expect((await get('/')).json()).toEqual(JSON_INDEX);
    expect((await get('/console')).statusCode).toBe(404);
  });

  it('says what to do where the console is not built, and goes on answering programs', async () => {
    start({ files: undefined });
    const page = await get('/');
    expect(page.statusCode).toBe(503);
    expect(page.body).toContain('npm run build');
    expect((await get('/', { accept: '*/*' })).json()).toEqual(JSON_INDEX);
  });
});

describe('the page', () => {
  it.each([['/'], ['/console'], ['/console/redirects'], ['/console/redirects/a/paths?search=x']])(
    'is at %s, with a policy that allows nothing inline and nothing foreign',
    async (url) => {
      start();
      const answer = await get(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(answer.headers['cache-control']).toBe('private, no-cache');
      expect(answer.body).toContain('src="/console/assets/main-1.js"');
    },
  );

  it('answers 304 to its ETag, which differs with and without a session', async () => {
    start();
    const { headers } = await get('/');
    const etag = String(headers.etag);
    expect((await get('/', { ...HTML, 'if-none-match': etag })).statusCode).toBe(304);
    const cookie = 'other=1; wm_session=wms_x';
    const signedIn = await get('/', { ...HTML, cookie, 'if-none-match': etag });
    expect(signedIn.statusCode).toBe(200);
    expect(signedIn.body).toContain('content="open yes"');
    expect(signedIn.headers.vary).toContain('Cookie');
  });

  it('has the base path in all its addresses, as text', async () => {
    start({ basePath: '/a"><b', signup: 'closed' });
    const { body } = await get('/console/x');
    expect(body).toContain('src="/a&quot;>&lt;b/console/assets/main-1.js"');
    expect(body).toContain('content="closed no"');
  });
});

describe('the files', () => {
  it('are kept for ever, and compressed for clients that take it', async () => {
    start();
    const url = '/console/assets/main-1.js';
    const plain = await get(url, {});
    expect(plain.body).toBe('plain');
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    const compressed = await get(url, { 'accept-encoding': 'gzip, br;q=0.9' });
    expect(compressed.headers['content-encoding']).toBe('br');
    expect(compressed.body).toBe('smaller');
    expect((await get(url, { 'accept-encoding': 'gzip, br;q=0' })).body).toBe('plain');
    expect((await get('/console/assets/icon-2.svg', { 'accept-encoding': 'br' })).body).toBe('<svg/>');
  });

  it.each([['main-0.js'], ['main-1.js.br'], ['..%2Findex.html'], ['__proto__']])(
    'hold no %s',
    async (name) => {
      start();
      const answer = await get(`/console/assets/${name}`);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['cache-control']).toBeUndefined();
    },
  );

  it('have a service worker that browsers ask for again, with the policy of the page', async () => {
    start();
    const answer = await get('/console/worker.js', {});
    expect(answer.body).toBe('a worker');
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect(String(answer.headers['content-security-policy'])).not.toMatch(/unsafe/);
  });

  it('have a page for a server that is away, with the base path and the policy', async () => {
    start({ basePath: '/links' });
    const answer = await get('/console/away');
    expect(answer.body).toContain('src="/links/console/assets/away-3.js"');
    expect(String(answer.headers['content-security-policy'])).toContain("default-src 'none'");
  });

  it('have neither where nothing is built', async () => {
    start({ files: undefined });
    expect((await get('/console/worker.js', {})).statusCode).toBe(404);
    expect((await get('/console/away')).statusCode).toBe(503);
  });

  it('are undefined where nothing is built', async () => {
    expect(await readConsoleFiles('/nonexistent/waymark')).toBeUndefined();
  });
});
