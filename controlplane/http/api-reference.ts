import { createHash } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';

/** Names the language, and keeps browsers from asking for /favicon.ico, which there is not. */
const HEAD = '<html lang="en"><head><link rel="icon" href="data:,">';

/**
 * Serves a page at `/docs` to browse and try the API. Everything comes from this process: the policy keeps the page
 * from loading anything else. The version of the package is the last one for Node 20.
 */
export async function useApiReference(app: FastifyInstance): Promise<void> {
  await app.register(async (docs) => {
    // The routes of the package do not know our route settings.
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true, uncounted: true };
    });
    docs.addHook('onSend', async (_request, reply, payload) => {
      if (!String(reply.getHeader('content-type')).startsWith('text/html')) return payload;
      const page = String(payload).replace(/<html>\s*<head>/, HEAD);
      reply.header('Content-Security-Policy', policyFor(page));
      return page;
    });
    await docs.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        pageTitle: 'Waymark API',
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        // These lead to services of the package's makers.
        hideClientButton: true,
        showDeveloperTools: 'never',
        persistAuth: true,
        defaultOpenFirstTag: true,
      },
    });
  });
}

/** Allows the scripts of the page by their hashes. Styles are set by scripts. */
function policyFor(page: string): string {
  const scripts = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script);
  const inline = scripts.filter((script) => script !== '');
  const hashes = inline.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
