import { createHash } from 'node:crypto';

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
export const CONSOLE_POLICY = [
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
 * Fills in the page. `hasSession` tells the script whether the browser has sent a session cookie, which scripts cannot
 * read. It saves a request that would fail.
 */
export function consolePage(template: string, facts: PageFacts, hasSession: boolean): ConsolePage {
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
