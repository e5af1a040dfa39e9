import { createHash } from 'node:crypto';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ControlplaneConfig } from '../../../shared/config/config.js';
import { packageRoot } from '../../../shared/config/package-root.js';
import { AppError } from '../../errors/app-error.js';
import { html } from '../pages/html.js';
import { sendPage } from '../pages/page.js';
import { readSessionCookie } from '../session-cookie.js';
import { type ConsoleFiles, readConsoleFiles } from './console-files.js';

export interface ConsoleOptions extends PageFacts {
  /** Undefined if the console is not built. */
  readonly files: ConsoleFiles | undefined;
}

export interface IndexOptions {
  readonly version: string;
  /** Undefined: there is no console, and `/` is JSON for everyone. */
  readonly console?: ConsoleOptions | undefined;
}

const config = { public: true, uncounted: true } as const;
const IMMUTABLE = 'public, max-age=31536000, immutable';

const IndexSchema = Type.Object(
  { name: Type.String(), version: Type.String(), docs: Type.String(), openapi: Type.String() },
  {
    title: 'Index',
    examples: [{ name: 'Waymark', version: '0.1.0', docs: '/docs', openapi: '/openapi.json' }],
  },
);

/** Serves `/`: the console for browsers, and the address of the documentation for programs. */
export function useIndex(app: FastifyInstance, { version, console }: IndexOptions): void {
  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'getIndex',
        tags: ['operations'],
        summary: 'Addresses of the documentation',
        description: 'Requests with `Accept: text/html` get the web console, unless it is off.',
        response: { 200: IndexSchema },
      },
    },
    async (request, reply) => {
      if (console !== undefined) {
        reply.header('Vary', 'Accept, Cookie');
        if (wantsPage(request)) return sendConsole(request, reply, console);
      }
      return { name: 'Waymark', version, docs: '/docs', openapi: '/openapi.json' };
    },
  );
  if (console !== undefined) useConsole(app, console);
}

/**
 * Serves the console's files at `/console/assets/`, its service worker with the page that it caches, and its page at
 * every other path below `/console`.
 */
function useConsole(app: FastifyInstance, options: ConsoleOptions): void {
  app.get<{ Params: { name: string } }>(
    '/console/assets/:name',
    { config, schema: { hide: true } },
    async (request, reply) => {
      const asset = options.files?.assets.get(request.params.name);
      if (asset === undefined) throw new AppError('NOT_FOUND', { message: 'The console has no such file.' });
      const isBrotli = asset.brotli !== undefined && acceptsBrotli(request);
      reply.header('Cache-Control', IMMUTABLE).header('Vary', 'Accept-Encoding').type(asset.type);
      if (isBrotli) reply.header('Content-Encoding', 'br');
      return reply.send(isBrotli ? asset.brotli : asset.body);
    },
  );
  app.get('/console/worker.js', { config, schema: { hide: true } }, async (_, reply) => {
    if (options.files === undefined)
      throw new AppError('NOT_FOUND', { message: 'The console has no such file.' });
    return reply
      .header('Cache-Control', 'no-cache')
      .header('Content-Security-Policy', CONSOLE_POLICY)
      .type('text/javascript; charset=utf-8')
      .send(options.files.worker);
  });
  app.get('/console/away', { config, schema: { hide: true } }, async (request, reply) =>
    sendConsole(request, reply, options, options.files?.awayPage),
  );
  for (const url of ['/console', '/console/*']) {
    app.get(url, { config, schema: { hide: true } }, async (request, reply) => {
      reply.header('Vary', 'Cookie');
      return sendConsole(request, reply, options);
    });
  }
}

function sendConsole(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsoleOptions,
  template = options.files?.page,
): FastifyReply {
  if (template === undefined) return sendUnbuilt(reply, options.basePath);
  const hasSession = readSessionCookie(request.headers.cookie) !== undefined;
  const { body, etag } = consolePage(template, options, hasSession);
  reply.header('Cache-Control', 'private, no-cache').header('ETag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply
    .header('Content-Security-Policy', CONSOLE_POLICY)
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Frame-Options', 'DENY')
    .type('text/html; charset=utf-8')
    .send(body);
}

function sendUnbuilt(reply: FastifyReply, basePath: string): FastifyReply {
  return sendPage(reply.code(503), {
    title: 'The console is not built',
    isSandbox: false,
    body: html`<p>The API works. To build the console, run these commands in the folder of Waymark, then restart it:</p>
<pre>npm install --include=dev
npm run build</pre>
<p><a href="${basePath}/docs">Documentation of the API</a></p>`,
  });
}

/** Browsers name `text/html` when they open a page. Programs name JSON, or accept anything. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

function acceptsBrotli({ headers }: FastifyRequest): boolean {
  return /\bbr\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));
}

export interface PageFacts {
  /** Path before the API's own paths, if a proxy adds one; otherwise empty. */
  readonly basePath: string;
  readonly signup: 'open' | 'verified' | 'closed';
}

export interface ConsolePage {
  readonly body: Buffer;
  readonly etag: string;
}

/** Allows files of this server only: no inline script, no inline style. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Fills in the page. `hasSession` is whether the browser sent a session cookie. Scripts cannot read the cookie, so this
 * saves them a request that would fail.
 */
function consolePage(template: string, facts: PageFacts, hasSession: boolean): ConsolePage {
  const values: Readonly<Record<string, string>> = {
    BASE_PATH: facts.basePath,
    SIGNUP: facts.signup,
    SESSION: hasSession ? 'yes' : 'no',
  };
  const body = Buffer.from(
    template.replace(/__([A-Z_]+)__/g, (placeholder, name) => escapeAttribute(values[name] ?? placeholder)),
  );
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/**
 * Reads the files of the console, which are beside the compiled control plane. Returns undefined with `CONSOLE=off`.
 */
export async function openConsole({
  hasConsole,
  publicApiUrl,
  signup,
}: ControlplaneConfig): Promise<ConsoleOptions | undefined> {
  if (!hasConsole) return undefined;
  const basePath = new URL(publicApiUrl ?? 'http://localhost').pathname.replace(/\/$/, '');
  const folder = path.join(packageRoot(), 'dist', 'controlplane', 'console');
  return { basePath, signup, files: await readConsoleFiles(folder) };
}
