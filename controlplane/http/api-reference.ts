import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance, RouteHandlerMethod, RouteShorthandOptions } from 'fastify';

/** Settings of the page, as Scalar's `createApiReference` takes them. */
const CONFIGURATION = {
  url: './openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  // These lead to services of the package's makers.
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: true,
  defaultOpenFirstTag: true,
};

const SCRIPT = `Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)})`;

/** The icon keeps browsers from asking for /favicon.ico, which does not exist. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <link rel="icon" href="data:,">
    <title>Waymark API</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body>
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script type="text/javascript">${SCRIPT}</script>
  </body>
</html>
`;

/** Allows this server's files and the script in the page. Scripts set styles. */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HIDDEN: RouteShorthandOptions = { config: { public: true, uncounted: true }, schema: { hide: true } };

/**
 * Serves a page at `/docs` to browse and try the API. This process serves all parts of the page, and the
 * Content-Security-Policy prevents other sources. The version of the package is the last one for Node 20. Its Fastify
 * plugin is not used, because it keeps the script of 3.5 MB and a parser in memory.
 *
 * @param document answers with the OpenAPI document
 */
export function useApiReference(app: FastifyInstance, document: RouteHandlerMethod): void {
  app.get('/docs/', HIDDEN, async (request, reply) => {
    // This link and those in the page are relative, because a proxy may serve them below another path.
    const [pathname = ''] = request.url.split('?');
    if (!pathname.endsWith('/')) return reply.redirect('docs/', 301);
    return reply.header('Content-Security-Policy', POLICY).type('text/html; charset=utf-8').send(PAGE);
  });

  app.get('/docs/js/scalar.js', HIDDEN, async (_request, reply) => {
    const file = scriptFile();
    const { size } = await stat(file);
    return reply
      .type('application/javascript; charset=utf-8')
      .header('Content-Length', size)
      .send(createReadStream(file));
  });

  app.get('/docs/openapi.json', HIDDEN, document);
}

function scriptFile(): string {
  const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  return path.join(path.dirname(entry), 'js', 'standalone.js');
}
