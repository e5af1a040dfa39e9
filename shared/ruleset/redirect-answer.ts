import type { RedirectStatusCode } from '../rules/redirect-status.js';

/** Parts of the answer in addition to its location. */
export interface RedirectAnswer {
  readonly statusCode: RedirectStatusCode;
  /**
   * The head of the answer, from the status up to the value of `Location`, which follows. It is one text, so the server
   * writes an answer in one piece.
   */
  readonly head: string;
}

const REASONS: Readonly<Record<RedirectStatusCode, string>> = {
  301: 'Moved Permanently',
  302: 'Found',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
};

/** Header of answers over HTTPS only (RFC 6797, section 7.2). */
export const SECURE_ONLY = 'Strict-Transport-Security';

/** Answers that no cache may keep, prepared once. */
const UNCACHED: Readonly<Record<RedirectStatusCode, RedirectAnswer>> = {
  301: answerOf(301, 'no-store'),
  302: answerOf(302, 'no-store'),
  307: answerOf(307, 'no-store'),
  308: answerOf(308, 'no-store'),
};

/**
 * Maximum number of distinct answers that redirects share. Redirects with other values each have a text of 80 bytes.
 */
const MAX_SHARED = 1_024;
/** Greater than any status. */
const KEY_FACTOR = 1_000;
/**
 * Answers that caches may keep, by maximum age and status. Redirects are compiled often and must not repeat the
 * texts.
 */
const shared = new Map<number, RedirectAnswer>();

/** Returns the answer with a status that no cache may keep. */
export function uncachedAnswer(statusCode: RedirectStatusCode): RedirectAnswer {
  return UNCACHED[statusCode];
}

/**
 * Returns the answer of a redirect that is the same for every visitor at any time.
 *
 * @param cacheSeconds time that caches may keep a permanent answer; 0 forbids caching. Temporary answers are never
 * kept.
 */
export function plainAnswer(statusCode: RedirectStatusCode, cacheSeconds: number): RedirectAnswer {
  if (cacheSeconds === 0 || !isPermanent(statusCode)) return UNCACHED[statusCode];
  const key = KEY_FACTOR * cacheSeconds + statusCode;
  const known = shared.get(key);
  if (known !== undefined) return known;
  const answer = answerOf(statusCode, `public, max-age=${cacheSeconds}`);
  if (shared.size < MAX_SHARED) shared.set(key, answer);
  return answer;
}

/**
 * Returns the answer of a redirect with headers of its owner. A `Cache-Control` among them replaces the default.
 *
 * @param cacheSeconds as in `plainAnswer`
 * @param forcesNoStore whether the answer depends on visitor or time: then no header of the owner allows caching
 */
export function answerWithHeaders(
  statusCode: RedirectStatusCode,
  cacheSeconds: number,
  headers: Readonly<Record<string, string>>,
  forcesNoStore: boolean,
): RedirectAnswer {
  const { 'Cache-Control': ownersCacheControl, [SECURE_ONLY]: _, ...others } = headers;
  const isCacheable = !forcesNoStore && cacheSeconds !== 0 && isPermanent(statusCode);
  const ours = isCacheable ? `public, max-age=${cacheSeconds}` : 'no-store';
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${value}\r\n`);
  return answerOf(statusCode, forcesNoStore ? ours : (ownersCacheControl ?? ours), lines.join(''));
}

function isPermanent(statusCode: RedirectStatusCode): boolean {
  return statusCode === 301 || statusCode === 308;
}

/** @param headers further header lines, each with its line end */
function answerOf(statusCode: RedirectStatusCode, cacheControl: string, headers = ''): RedirectAnswer {
  const head = `${statusCode} ${REASONS[statusCode]}\r\nCache-Control: ${cacheControl}\r\n${headers}Location: `;
  return { statusCode, head };
}
