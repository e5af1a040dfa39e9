import { type EncodedChunk, encodeChunks } from './ruleset-chunk.js';
import { SNAPSHOT_FORMAT, type SnapshotManifest } from './ruleset-codec.js';
import { encodeDocumentHead } from './ruleset-document.js';
import type { RulesetSnapshot } from './ruleset-feed.js';

export interface EncodedRuleset {
  readonly manifest: SnapshotManifest;
  readonly chunks: readonly EncodedChunk[];
  /** As sent over HTTP. */
  readonly document: Buffer;
}

/** A ruleset as control planes send it. */
export async function encodeRuleset(
  { version, redirects }: RulesetSnapshot,
  redirectsPerChunk = 100,
): Promise<EncodedRuleset> {
  const chunks: EncodedChunk[] = [];
  for (let at = 0; at < redirects.length; at += redirectsPerChunk) {
    const some = redirects.slice(at, at + redirectsPerChunk);
    chunks.push(...(await encodeChunks(some.map((redirect) => ({ host: redirect.host, redirect })))));
  }
  const manifest: SnapshotManifest = {
    format: SNAPSHOT_FORMAT,
    id: 'a-ruleset',
    version,
    count: redirects.length,
    appended: 0,
    chunks: chunks.map(({ sha256 }) => sha256),
  };
  const document = Buffer.concat([encodeDocumentHead(manifest, chunks), ...chunks.map(({ bytes }) => bytes)]);
  return { manifest, chunks, document };
}
