import type { Logger } from 'pino';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import { codeOf, messageOf } from '../../shared/process/error-facts.js';
import { readUrl } from '../../shared/process/read-url.js';
import { isObject } from '../../shared/rules/is-object.js';
import { decodeDelta } from '../../shared/ruleset/ruleset-codec.js';
import {
  DELTA_MEDIA_TYPE,
  MAX_DOCUMENT_BYTES,
  RULESET_MEDIA_TYPE,
  RULESET_PATH,
} from '../../shared/ruleset/ruleset-document.js';
import type { RulesetSource } from '../../shared/ruleset/ruleset-feed.js';
import { formatIdentity, formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { readDocument } from './document-reader.js';

const FIRST_BYTE_TIMEOUT_MS = 5_000;
const WHOLE_TIMEOUT_MS = 120_000;
const MAX_REASON_BYTES = 4 * 1024;

export interface HttpRulesetSourceDeps {
  /** Address of the control plane's API, without user name and password. */
  readonly url: string;
  /** The installation's secret: the control plane must have the same. */
  readonly secretKey: Buffer;
  readonly logger: Logger;
  /** Default: 5 s. */
  readonly firstByteTimeoutMs?: number;
  /** Default: 2 min. */
  readonly wholeTimeoutMs?: number;
  /** Maximum size of an answer. Default: 512 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads rulesets from the control plane over HTTP. Errors name place and reason, and never contain the token.
 *
 * @throws when `url` cannot be used
 */
export function createHttpRulesetSource(deps: HttpRulesetSourceDeps): RulesetSource {
  const { secretKey, logger, maxBytes = MAX_DOCUMENT_BYTES } = deps;
  const { firstByteTimeoutMs = FIRST_BYTE_TIMEOUT_MS, wholeTimeoutMs = WHOLE_TIMEOUT_MS } = deps;
  const target = rulesetUrl(deps.url);
  const onRefused = (problem: string) => logger.error(problem);
  const authorization = `Bearer ${deriveInternalToken(secretKey)}`;

  return {
    async read(known) {
      const startedAtMs = performance.now();
      const abort = new AbortController();
      const firstByte = abortAfter(abort, firstByteTimeoutMs, 'it did not begin to answer');
      const whole = abortAfter(abort, wholeTimeoutMs, 'its answer was not complete');
      try {
        const response = await fetch(urlSince(target, known), {
          headers: { Authorization: authorization },
          // A redirect would send the token to another server.
          redirect: 'manual',
          signal: abort.signal,
        });
        clearTimeout(firstByte);
        if (response.status === 204 && known !== undefined) return undefined;
        const newer = await readAnswer(response, maxBytes, onRefused);
        const durationMs = Math.round(performance.now() - startedAtMs);
        logger.info({ version: formatVersion(newer.version), durationMs }, 'ruleset read over HTTP');
        return newer;
      } catch (error) {
        const reason = reasonOf(abort.signal.reason ?? error);
        throw new Error(`no ruleset from the control plane at ${target.host}: ${reason}`);
      } finally {
        clearTimeout(firstByte);
        clearTimeout(whole);
      }
    },
  };
}

function rulesetUrl(base: string): URL {
  const url = readUrl(base);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Error('the URL of the control plane is http(s)://host[:port], without user name and password');
  }
  return new URL(url.pathname.replace(/\/$/, '') + RULESET_PATH, url);
}

/** The answer is not a usable ruleset. `message` gives the reason. */
class RefusedAnswer extends Error {}

/** Aborts after a time, with the step that took too long as the reason. */
function abortAfter(abort: AbortController, durationMs: number, step: string): NodeJS.Timeout {
  return setTimeout(() => abort.abort(new RefusedAnswer(`${step} within ${durationMs} ms`)), durationMs);
}

async function readAnswer(response: Response, maxBytes: number, onRefused: (problem: string) => void) {
  const type = response.headers.get('content-type')?.split(';')[0];
  const isKnown = type === RULESET_MEDIA_TYPE || type === DELTA_MEDIA_TYPE;
  if (response.status !== 200 || response.body === null || !isKnown) {
    const reason = response.status === 503 ? await reasonIn(response) : explain(response.status);
    await response.body?.cancel().catch(() => undefined);
    throw new RefusedAnswer(reason);
  }
  try {
    if (type === DELTA_MEDIA_TYPE) return decodeDelta(await readText(response.body, maxBytes));
    return await readDocument(response.body, maxBytes, onRefused);
  } catch (error) {
    // `fetch` ends a body early with a `TypeError`, which has the cause.
    if (error instanceof TypeError) throw error;
    throw new RefusedAnswer(`its answer is refused: ${faultOf(error)}`);
  }
}

/** @throws when it is longer than `maxBytes` */
async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Error message of the control plane. It is trusted, because the request carried its token. */
async function reasonIn(response: Response): Promise<string> {
  try {
    const text = response.body === null ? '' : await readText(response.body, MAX_REASON_BYTES);
    const body: unknown = JSON.parse(text);
    const message = isObject(body) && isObject(body.error) ? body.error.message : undefined;
    if (typeof message === 'string') return `it answered 503: ${message}`;
  } catch {
    // The answer of another server is not shown.
  }
  return explain(503);
}

function explain(status: number): string {
  switch (status) {
    case 200:
      return 'its answer is refused: it is of a release before this one, or is no control plane';
    case 401:
      return 'it answered 401: SECRET_KEY differs from its own';
    case 404:
      return 'it answered 404: it has no SECRET_KEY of its own, or is no control plane';
    default:
      return `it answered ${status}`;
  }
}

function urlSince(target: URL, known: Parameters<RulesetSource['read']>[0]): URL {
  const url = new URL(target);
  if (known !== undefined) url.searchParams.set('since', formatIdentity(known));
  return url;
}

/** Returns the code of an error of `fetch`. Its message is left out, because it may quote the request. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedAnswer) return error.message;
  const code = error instanceof Error ? codeOf(error.cause) : undefined;
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}

function faultOf(error: unknown): string {
  // The error's message would quote the document.
  return error instanceof SyntaxError ? 'a line of it is no JSON' : messageOf(error);
}
