import { isCount } from './count.js';
import type { EncodedChunk } from './ruleset-chunk.js';
import { decodeManifest, type SnapshotManifest } from './ruleset-codec.js';

/**
 * Path of the ruleset on control planes, for data planes that cannot read it from Redis. `?since=IDENTITY` (see
 * `formatIdentity`) names the version of the reader. The answer is 204 if it is the newest one, or a delta.
 */
export const RULESET_PATH = '/internal/ruleset';

/** Content: a line of JSON, the manifest and the sizes of the chunks in bytes, and then the chunks. */
export const RULESET_MEDIA_TYPE = 'application/vnd.waymark.ruleset';
/** Content: a delta as `encodeDelta` writes it. */
export const DELTA_MEDIA_TYPE = 'application/vnd.waymark.ruleset-delta';

/** Maximum length of a document. */
export const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024;

/** The first line of a document, with its newline. */
export function encodeDocumentHead(manifest: SnapshotManifest, chunks: readonly EncodedChunk[]): Buffer {
  const sizes = chunks.map(({ bytes }) => bytes.length);
  return Buffer.from(`${JSON.stringify({ ...manifest, sizes })}\n`);
}

/** @throws when the line is not the head of a known format, with the reason */
export function decodeDocumentHead(line: string): { manifest: SnapshotManifest; sizes: readonly number[] } {
  const manifest = decodeManifest(line);
  const { sizes } = JSON.parse(line) as { sizes?: unknown };
  const isWhole = Array.isArray(sizes) && sizes.length === manifest.chunks.length && sizes.every(isSize);
  if (!isWhole) throw new Error('its first line does not say how long its chunks are');
  return { manifest, sizes };
}

function isSize(value: unknown): value is number {
  return isCount(value) && value <= MAX_DOCUMENT_BYTES;
}
