import { isCount } from './count.js';
import { encodeDefinitionLines } from './definition-lines.js';
import type { RulesetSnapshot } from './ruleset-feed.js';
import { formatVersion, isVersion, type RulesetVersion, versionIn } from './ruleset-version.js';

/**
 * A whole ruleset as a document to be read over HTTP: a line of JSON that says what follows, then one redirect
 * per line. Lines rather than one value, so that neither end has to hold up its event loop for all of it.
 */
export const RULESET_PATH = '/internal/ruleset';
export const RULESET_MEDIA_TYPE = 'application/x-ndjson';

/** Of the document before any content coding (draft-ietf-httpbis-unencoded-digest; form of RFC 9530). */
export const DIGEST_HEADER = 'Unencoded-Digest';

/** No document is longer, before any content coding. */
export const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024;

const FORMAT = 1;

/** The first line. */
export interface DocumentHead {
  readonly version: RulesetVersion;
  /** Number of redirects that follow. */
  readonly count: number;
}

/** The document in pieces small enough to be made one per turn of the event loop. */
export function* encodeDocument({ version, redirects }: RulesetSnapshot): Generator<Buffer> {
  const head = { format: FORMAT, ...versionIn(version), count: redirects.length };
  yield Buffer.from(`${JSON.stringify(head)}\n`);
  yield* encodeDefinitionLines(redirects);
}

/** @throws when the line is no head of a format known here */
export function parseDocumentHead(line: string): DocumentHead {
  const value: unknown = JSON.parse(line);
  if (typeof value === 'object' && value !== null) {
    const { format, count } = value as Record<string, unknown>;
    if (format === FORMAT && isVersion(value) && isCount(count)) return { version: versionIn(value), count };
  }
  throw new Error('its first line is no header of a format known here');
}

/** @param sha256 of the whole document */
export function formatDigest(sha256: Buffer): string {
  return `sha-256=:${sha256.toString('base64')}:`;
}

/** What names this version of the document; another one for each content coding (RFC 9110, section 8.8.3.3). */
export function entityTag(version: RulesetVersion, coding: string): string {
  const lineage = version.lineage === undefined ? '' : `-${version.lineage}`;
  const suffix = coding === 'identity' ? '' : `-${coding}`;
  return `"${formatVersion(version)}${lineage}${suffix}"`;
}
