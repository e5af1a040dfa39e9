import { createHash } from 'node:crypto';
import { isPageKey, isPublishedPage } from '../paths/published-paths.js';
import { isObject } from '../rules/is-object.js';
import { isCount } from './count.js';
import { asRedirectDefinition } from './definition-lines.js';
import type { RulesetChange, RulesetDelta } from './ruleset-feed.js';
import { formatVersion, isVersion, type RulesetVersion } from './ruleset-version.js';

/** Version of the format of deltas. A reader refuses others and keeps its ruleset. */
export const DELTA_FORMAT = 1;
/** Version of the format of snapshots that is written. */
export const SNAPSHOT_FORMAT = 2;
/** Format of an older release: its chunks are not compressed, and none overrides another. */
const UNCOMPRESSED_FORMAT = 1;

const SHA256_CHARACTERS = 64;
/** Maximum length of a key in a message. */
const SHOWN_CHARACTERS = 100;
const MALFORMED_DELTA = 'a delta is malformed';

/** The data is intact, but another version of the product wrote it. */
export class UnknownFormat extends Error {
  constructor(what: string) {
    super(`the ${what} is of a format not known here; this process may be older than the control plane`);
  }
}

/** Parts of a snapshot. Later chunks override earlier ones (`ruleset-chunk.ts`). */
export interface SnapshotManifest {
  readonly format: typeof SNAPSHOT_FORMAT | typeof UNCOMPRESSED_FORMAT;
  /** Identifies the chunks of this snapshot. The id stays when chunks are only appended. */
  readonly id: string;
  readonly version: RulesetVersion;
  /** Number of lines in all chunks. */
  readonly count: number;
  /** Number of lines in chunks that were appended after the snapshot was built. */
  readonly appended: number;
  /** SHA-256 of each chunk, hexadecimal. */
  readonly chunks: readonly string[];
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Parses a version as `formatVersion` writes it; undefined for anything else. */
export function parseVersion(text: string): RulesetVersion | undefined {
  const [epoch, seq, ...rest] = text.split('.').map(Number);
  const version = { epoch: epoch ?? -1, seq: seq ?? -1 };
  return rest.length === 0 && isVersion(version) && formatVersion(version) === text ? version : undefined;
}

/** Parses a version as `formatIdentity` writes it; undefined for anything else. */
export function parseIdentity(text: string): RulesetVersion | undefined {
  const [numbers = '', lineage, removals] = text.split(' ', 3);
  const version = parseVersion(numbers);
  if (version === undefined || lineage === undefined) return version;
  const identity = { ...version, lineage, ...(removals !== undefined && { removals: Number(removals) }) };
  return isVersion(identity) ? identity : undefined;
}

/** Encodes a delta: the SHA-256 of the rest, a space, and JSON. */
export function encodeDelta({ version, previousSeq, previousLineage, changes }: RulesetDelta): string {
  const json = JSON.stringify({ format: DELTA_FORMAT, version, previousSeq, previousLineage, changes });
  return `${sha256Of(json)} ${json}`;
}

/** Decodes a delta. @throws if it is damaged, with the reason */
export function decodeDelta(text: string): RulesetDelta {
  const json = text.slice(SHA256_CHARACTERS + 1);
  if (!text.startsWith(`${sha256Of(json)} `)) throw new Error('a delta does not match its checksum');
  const value: unknown = JSON.parse(json);
  if (!isObject(value) || value.format !== DELTA_FORMAT) throw new UnknownFormat('delta');
  const { version, previousSeq, previousLineage, changes } = value;
  if (!isVersion(version) || !isCount(previousSeq) || !Array.isArray(changes)) {
    throw new Error(MALFORMED_DELTA);
  }
  return {
    version,
    previousSeq,
    ...(typeof previousLineage === 'string' && { previousLineage }),
    changes: changes.map(asChange),
  };
}

export function encodeManifest(manifest: SnapshotManifest): string {
  return JSON.stringify(manifest);
}

/** @throws when the format is unknown, with the reason */
export function decodeManifest(text: string): SnapshotManifest {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new UnknownFormat('snapshot');
  const { format, id, version, count, appended = 0, chunks } = value;
  if (format !== SNAPSHOT_FORMAT && format !== UNCOMPRESSED_FORMAT) throw new UnknownFormat('snapshot');
  const isWhole = typeof id === 'string' && isVersion(version) && isCount(count) && isCount(appended);
  if (!isWhole || !Array.isArray(chunks) || !chunks.every((chunk) => typeof chunk === 'string')) {
    throw new Error('the manifest of the snapshot is malformed');
  }
  return { format, id, version, count, appended, chunks };
}

/** Formats the id of a snapshot without a manifest, with the format of its chunks. */
export function formatUnfinished(id: string): string {
  return `${SNAPSHOT_FORMAT} ${id}`;
}

/** Returns the id that `formatUnfinished` wrote; undefined for anything else, and for another format. */
export function parseUnfinished(text: string): string | undefined {
  const [format, id, ...rest] = text.split(' ');
  return format === String(SNAPSHOT_FORMAT) && id !== '' && rest.length === 0 ? id : undefined;
}

/** Returns whether chunks of a snapshot have the form of `encodeChunks`. */
export function hasCompressedChunks({ format }: SnapshotManifest): boolean {
  return format === SNAPSHOT_FORMAT;
}

function asChange(value: unknown): RulesetChange {
  if (!isObject(value) || typeof value.host !== 'string') throw new Error(MALFORMED_DELTA);
  const { host, redirect } = value;
  if (redirect === null) return asPageOrRemoval(host, value.page);
  // A definition of another host would change that host although the change does not name it.
  if (!isObject(redirect) || redirect.host !== host) throw new Error(MALFORMED_DELTA);
  return { host, redirect: asRedirectDefinition(redirect) };
}

/**
 * Returns the change of a page, or the removal of a host or page.
 *
 * @throws when `page` is present and invalid
 */
export function asPageOrRemoval(host: string, page: unknown): RulesetChange {
  if (page === undefined || !isPageKey(host)) return { host, redirect: null };
  if (!isPublishedPage(host, page))
    throw new Error(`the page ${JSON.stringify(host.slice(0, SHOWN_CHARACTERS))} is malformed`);
  return { host, redirect: null, page };
}
