import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type Html, html, NOTHING } from './html.js';

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff;overflow-wrap:break-word}
h1{line-height:1.2}
.sandbox{border:2px solid #8a5a00;background:#fff6e0;padding:.5rem 1rem}
.notice{border-left:4px solid #1d4f91;padding-left:1rem}
dt{font-weight:600}dd{margin:0 0 .5rem}
button{font:inherit;padding:.5rem 1rem;margin:.25rem .5rem .25rem 0;cursor:pointer}
button:focus-visible,a:focus-visible{outline:3px solid #1d4f91;outline-offset:2px}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Whether the page belongs to the sandbox, and says so. */
  readonly isSandbox: boolean;
}

/**
 * Sends a page that needs no script and loads nothing. The address can contain a secret, so the page is not cached and
 * links send no referrer.
 *
 * @param returnUrl where a form may send the browser on to
 */
export function sendPage(reply: FastifyReply, page: Page, returnUrl?: string): FastifyReply {
  const targets = returnUrl === undefined ? "'self'" : `'self' ${new URL(returnUrl).origin}`;
  return reply
    .type('text/html; charset=utf-8')
    .header(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    )
    .header('Referrer-Policy', 'no-referrer')
    .header('Cache-Control', 'no-store')
    .header('Vary', 'Accept')
    .send(documentOf(page).html);
}

const SANDBOX_BANNER = html`<p class="sandbox"><strong>This is a sandbox.</strong> No card is asked for and no money moves.</p>
`;

function documentOf({ title, body, isSandbox }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}${isSandbox ? ' (sandbox)' : ''}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
${isSandbox ? SANDBOX_BANNER : NOTHING}<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

/** Returns a link that shows the host of its target, because the target comes from an untrusted request. */
export function wayBack(returnUrl: string | undefined): Html {
  if (returnUrl === undefined) return html`<p>You can close this page.</p>`;
  return html`<p><a href="${returnUrl}" rel="noreferrer">Back to ${new URL(returnUrl).host}</a></p>`;
}
