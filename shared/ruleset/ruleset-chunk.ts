import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { messageOf } from '../process/error-facts.js';
import { isObject } from '../rules/is-object.js';
import { asRedirectDefinition } from './definition-lines.js';
import { asPageOrRemoval, sha256Of } from './ruleset-codec.js';
import type { RulesetChange } from './ruleset-feed.js';

/**
 * Brotli quality of chunks. Quality 3 takes twice the time for a sixth less space. Gzip at level 2 takes more time and
 * more space.
 */
const BROTLI_QUALITY = 1;
/** Maximum size of a decompressed chunk. It bounds the memory that damaged or hostile bytes can take. */
const MAX_CHUNK_BYTES = 256 * 1024 * 1024;
/**
 * Length after which a chunk is full. One redirect has at most a few MiB, so a chunk stays far below the limit above.
 */
const FULL_CHUNK_CHARACTERS = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** A part of a ruleset in transport. */
export interface EncodedChunk {
  readonly bytes: Buffer;
  /** Hexadecimal SHA-256 of `bytes`. */
  readonly sha256: string;
  /** Number of lines. */
  readonly lines: number;
}

/**
 * Compresses changes in chunks of bounded size, outside the event loop. Each line is JSON: a definition;
 * `{"removed":HOST}` where nothing is served any more; or `{"removed":KEY,"page":TEXT}` for a page of paths, which
 * data planes of an older release read as a removal.
 */
export async function encodeChunks(changes: readonly RulesetChange[]): Promise<EncodedChunk[]> {
  const chunks: EncodedChunk[] = [];
  let lines: string[] = [];
  let characters = 0;
  for (const { host, redirect, page } of changes) {
    const line = `${JSON.stringify(redirect ?? { removed: host, page })}\n`;
    lines.push(line);
    characters += line.length;
    if (characters < FULL_CHUNK_CHARACTERS) continue;
    chunks.push(await encodeLines(lines));
    lines = [];
    characters = 0;
  }
  if (lines.length > 0) chunks.push(await encodeLines(lines));
  return chunks;
}

async function encodeLines(lines: readonly string[]): Promise<EncodedChunk> {
  const bytes = await compress(Buffer.from(lines.join('')), {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
  });
  return { bytes, sha256: sha256Of(bytes), lines: lines.length };
}

/**
 * Checks and decompresses a chunk.
 *
 * @param sha256 as in the manifest
 * @returns its lines, for `changesIn`
 * @throws when the bytes differ from those that were written
 */
export async function openChunk(bytes: Buffer, sha256: string, isCompressed: boolean): Promise<Buffer> {
  if (sha256Of(bytes) !== sha256) throw new Error('a chunk of the snapshot does not match its checksum');
  const lines = isCompressed ? await decompress(bytes, { maxOutputLength: MAX_CHUNK_BYTES }) : bytes;
  if (lines.length > 0 && lines.at(-1) !== NEWLINE) throw new Error('a line of the snapshot is cut off');
  return lines;
}

/** A redirect that this process cannot serve. A later release may. */
export interface RefusedRedirect {
  /** Absent when the line names none. */
  readonly host?: string;
  /** Names host and field. */
  readonly refusal: string;
}

/**
 * Returns the changes of an opened chunk. A redirect that this process cannot serve becomes a refusal.
 *
 * @throws when a line is not JSON
 */
export function* changesIn(lines: Buffer): Generator<RulesetChange | RefusedRedirect> {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(NEWLINE, start);
    const value: unknown = JSON.parse(lines.toString('utf8', start, end));
    yield asChange(value);
    start = end + 1;
  }
}

function asChange(value: unknown): RulesetChange | RefusedRedirect {
  try {
    if (isObject(value) && typeof value.removed === 'string')
      return asPageOrRemoval(value.removed, value.page);
    const redirect = asRedirectDefinition(value);
    return { host: redirect.host, redirect };
  } catch (error) {
    const host = isObject(value) && typeof value.host === 'string' ? value.host : undefined;
    return { ...(host !== undefined && { host }), refusal: messageOf(error) };
  }
}
