import { createHash } from 'node:crypto';
import { isObject } from '../rules/is-object.js';
import { isCount } from './count.js';
import { asRedirectDefinition, parseDefinitionLine } from './definition-lines.js';
import type { RedirectDefinition } from './redirect-definition.js';
import type { RulesetChange, RulesetDelta } from './ruleset-feed.js';
import { formatVersion, isVersion, type RulesetVersion } from './ruleset-version.js';

/** Version of the forms below. A reader refuses others and goes on with what it has. */
export const RULESET_FORMAT = 1;

const SHA256_CHARACTERS = 64;
const NEWLINE = 0x0a;
const MALFORMED_DELTA = 'a delta is malformed';

/** Nothing is wrong with what was read, but it was written by another version of the product. */
export class UnknownFormat extends Error {
  constructor(what: string) {
    super(`the ${what} is of a format not known here; this process may be older than the control plane`);
  }
}

/** What a snapshot consists of. Its chunks are lines of JSON, a definition each. */
export interface SnapshotManifest {
  readonly format: typeof RULESET_FORMAT;
  /** Names the chunks of this snapshot, and of no other one of the same version. */
  readonly id: string;
  readonly version: RulesetVersion;
  /** Number of definitions. */
  readonly count: number;
  /** Of all chunks one after the other, hexadecimal. */
  readonly sha256: string;
  /** Of each chunk, hexadecimal. */
  readonly chunks: readonly string[];
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The version in `text`, which is as `formatVersion` writes it; undefined when there is none. */
export function parseVersion(text: string): RulesetVersion | undefined {
  const [epoch, seq, ...rest] = text.split('.').map(Number);
  const version = { epoch: epoch ?? -1, seq: seq ?? -1 };
  return rest.length === 0 && isVersion(version) && formatVersion(version) === text ? version : undefined;
}

/** The version in `text`, which is as `formatIdentity` writes it; undefined when there is none. */
export function parseIdentity(text: string): RulesetVersion | undefined {
  const [numbers = '', lineage, removals] = text.split(' ', 3);
  const version = parseVersion(numbers);
  if (version === undefined || lineage === undefined) return version;
  const identity = { ...version, lineage, ...(removals !== undefined && { removals: Number(removals) }) };
  return isVersion(identity) ? identity : undefined;
}

/** A delta as text: the SHA-256 of the rest, a space, and JSON. */
export function encodeDelta({ version, previousSeq, previousLineage, changes }: RulesetDelta): string {
  const json = JSON.stringify({ format: RULESET_FORMAT, version, previousSeq, previousLineage, changes });
  return `${sha256Of(json)} ${json}`;
}

/** @throws when it is not exactly as it was written, with the reason */
export function decodeDelta(text: string): RulesetDelta {
  const json = text.slice(SHA256_CHARACTERS + 1);
  if (!text.startsWith(`${sha256Of(json)} `)) throw new Error('a delta does not match its checksum');
  const value: unknown = JSON.parse(json);
  if (!isObject(value) || value.format !== RULESET_FORMAT) throw new UnknownFormat('delta');
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

/** @throws when it is none of this format, with the reason */
export function decodeManifest(text: string): SnapshotManifest {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || value.format !== RULESET_FORMAT) throw new UnknownFormat('snapshot');
  const { id, version, count, sha256, chunks } = value;
  const isWhole =
    typeof id === 'string' && isVersion(version) && isCount(count) && typeof sha256 === 'string';
  if (!isWhole || !Array.isArray(chunks) || !chunks.every((chunk) => typeof chunk === 'string')) {
    throw new Error('the manifest of the snapshot is malformed');
  }
  return { format: RULESET_FORMAT, id, version, count, sha256, chunks };
}

/**
 * The definitions of one chunk.
 *
 * @param sha256 as in the manifest
 * @throws when the bytes are not those, with the reason
 */
export function decodeChunk(bytes: Buffer, sha256: string): RedirectDefinition[] {
  if (sha256Of(bytes) !== sha256) throw new Error('a chunk of the snapshot does not match its checksum');
  const redirects: RedirectDefinition[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) throw new Error('a line of the snapshot is cut off');
    redirects.push(parseDefinitionLine(bytes.toString('utf8', start, end)));
    start = end + 1;
  }
  return redirects;
}

function asChange(value: unknown): RulesetChange {
  if (!isObject(value) || typeof value.host !== 'string') throw new Error(MALFORMED_DELTA);
  const { host, redirect } = value;
  if (redirect === null) return { host, redirect };
  // Were it of another host, that one would change behind the back of whoever goes by the hosts of changes.
  if (!isObject(redirect) || redirect.host !== host) throw new Error(MALFORMED_DELTA);
  return { host, redirect: asRedirectDefinition(redirect) };
}
