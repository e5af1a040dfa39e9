import type { Logger } from 'pino';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import { codeOf, messageOf } from '../../shared/process/error-facts.js';
import { createDocumentReader } from '../../shared/ruleset/document-reader.js';
import {
  DIGEST_HEADER,
  entityTag,
  MAX_DOCUMENT_BYTES,
  RULESET_PATH,
} from '../../shared/ruleset/ruleset-document.js';
import type { RulesetSnapshot, RulesetSource } from '../../shared/ruleset/ruleset-feed.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { startTimeLimit } from './answer-time-limit.js';
import { ColdRedirects } from './cold/cold-redirects.js';

const FIRST_BYTE_TIMEOUT_MS = 5_000;
const WHOLE_TIMEOUT_MS = 30_000;

export interface HttpRulesetSourceDeps {
  /** Where the control plane's API is, without user name and password. */
  readonly url: string;
  /** The installation's secret: the control plane must have the same. */
  readonly secretKey: Buffer;
  readonly logger: Logger;
  /** Default: 5 s. */
  readonly firstByteTimeoutMs?: number;
  /** Default: 30 s. */
  readonly wholeTimeoutMs?: number;
  /** Longest document that is taken, before any coding. Default: 512 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads rulesets from the control plane over HTTP. What it throws says where and why it failed, never the token.
 *
 * @throws when `url` cannot be used
 */
export function createHttpRulesetSource(deps: HttpRulesetSourceDeps): RulesetSource {
  const { secretKey, logger, maxBytes = MAX_DOCUMENT_BYTES } = deps;
  const { firstByteTimeoutMs = FIRST_BYTE_TIMEOUT_MS, wholeTimeoutMs = WHOLE_TIMEOUT_MS } = deps;
  const target = rulesetUrl(deps.url);
  const authorization = `Bearer ${deriveInternalToken(secretKey)}`;

  return {
    async read(known) {
      const startedAtMs = performance.now();
      const limit = startTimeLimit({ firstByteTimeoutMs, wholeTimeoutMs });
      try {
        const response = await fetch(target, {
          headers: {
            Authorization: authorization,
            'Accept-Encoding': 'gzip',
            ...(known && { 'If-None-Match': entityTag(known, 'identity') }),
          },
          // Followed, a redirect would take the token to wherever it points.
          redirect: 'manual',
          signal: limit.signal,
        });
        limit.begun();
        if (response.status === 304 && known !== undefined) return undefined;
        const snapshot = await readDocument(response, maxBytes);
        const durationMs = Math.round(performance.now() - startedAtMs);
        const version = formatVersion(snapshot.version);
        logger.info({ version, hosts: snapshot.redirects.length, durationMs }, 'ruleset read over HTTP');
        return snapshot;
      } catch (error) {
        const reason = limit.exceeded ?? reasonOf(error);
        throw new Error(`no ruleset from the control plane at ${target.host}: ${reason}`);
      } finally {
        limit.clear();
      }
    },
  };
}

function rulesetUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Error('the URL of the control plane is http(s)://host[:port], without user name and password');
  }
  return new URL(url.pathname.replace(/\/$/, '') + RULESET_PATH, url);
}

/** What was answered is not a ruleset to serve; `message` says why, in words of ours. */
class RefusedAnswer extends Error {}

async function readDocument(response: Response, maxBytes: number): Promise<RulesetSnapshot<ColdRedirects>> {
  const digest = response.headers.get(DIGEST_HEADER);
  if (response.status !== 200 || response.body === null || digest === null) {
    await response.body?.cancel();
    throw new RefusedAnswer(explain(response.status));
  }
  const redirects = new ColdRedirects();
  const reader = createDocumentReader((redirect) => redirects.set(redirect), maxBytes);
  const refusing = <Result>(step: () => Result): Result => {
    try {
      return step();
    } catch (error) {
      throw new RefusedAnswer(`its answer is refused: ${faultOf(error)}`);
    }
  };
  for await (const chunk of response.body) refusing(() => reader.push(chunk));
  return { version: refusing(() => reader.end(digest)), redirects };
}

function explain(status: number): string {
  switch (status) {
    case 200:
      return 'its answer is refused: it has no checksum';
    case 401:
      return 'it answered 401: SECRET_KEY differs from its own';
    case 404:
      return 'it answered 404: it has no SECRET_KEY of its own, or is no control plane';
    default:
      return `it answered ${status}`;
  }
}

/** Of what `fetch` throws only the code is told: its texts may quote what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedAnswer) return error.message;
  const code = error instanceof Error ? codeOf(error.cause) : undefined;
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}

function faultOf(error: unknown): string {
  // Its own text quotes the document.
  return error instanceof SyntaxError ? 'a line of it is no JSON' : messageOf(error);
}
