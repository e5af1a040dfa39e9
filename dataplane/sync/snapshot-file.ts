import { createHash } from 'node:crypto';
import { parseDefinitionLine } from '../../shared/ruleset/definition-lines.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';

const FORMAT = 2;
/** The header line is written last, so its room is kept by padding it to a fixed size. */
export const HEADER_BYTES = 256;
const NEWLINE = 0x0a;

/** First line of the file; one definition per line follows. */
export interface SnapshotHeader {
  readonly format: typeof FORMAT;
  readonly epoch: number;
  readonly seq: number;
  /** Number of definitions. */
  readonly count: number;
  /** Of everything after the header line, hexadecimal. */
  readonly sha256: string;
  readonly savedAtMs: number;
}

/** A snapshot as an earlier run left it. */
export interface SavedSnapshot {
  readonly snapshot: RulesetSnapshot;
  /** Unix time in milliseconds. */
  readonly savedAtMs: number;
}

export type SnapshotReading =
  | { readonly ok: true; readonly saved: SavedSnapshot }
  | { readonly ok: false; readonly reason: string };

/** @returns exactly `HEADER_BYTES` bytes, the last of them the end of the line */
export function encodeHeader(snapshot: RulesetSnapshot, sha256: string, savedAtMs: number): Buffer {
  const header: SnapshotHeader = {
    format: FORMAT,
    epoch: snapshot.version.epoch,
    seq: snapshot.version.seq,
    count: snapshot.redirects.length,
    sha256,
    savedAtMs,
  };
  return Buffer.from(`${JSON.stringify(header).padEnd(HEADER_BYTES - 1)}\n`);
}

/** Reads a whole file. Strict: what is not exactly as it was written is refused with the reason. Never throws. */
export function decodeSnapshotFile(bytes: Buffer): SnapshotReading {
  try {
    return { ok: true, saved: decode(bytes) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

function decode(bytes: Buffer): SavedSnapshot {
  const headerEnd = bytes.indexOf(NEWLINE);
  const header: unknown = headerEnd === -1 ? undefined : JSON.parse(bytes.toString('utf8', 0, headerEnd));
  if (!isHeader(header)) throw new Error('its first line is no header of a format known here');
  const body = bytes.subarray(headerEnd + 1);
  if (createHash('sha256').update(body).digest('hex') !== header.sha256) {
    throw new Error('its checksum does not match');
  }
  const redirects = Array.from(linesOf(body), parseDefinitionLine);
  if (redirects.length !== header.count) {
    throw new Error(`it holds ${redirects.length} redirects where ${header.count} are announced`);
  }
  const version = { epoch: header.epoch, seq: header.seq };
  return { snapshot: { version, redirects }, savedAtMs: header.savedAtMs };
}

function* linesOf(body: Buffer): Generator<string> {
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf(NEWLINE, start);
    if (end === -1) throw new Error('its last line is cut off');
    yield body.toString('utf8', start, end);
    start = end + 1;
  }
}

function isHeader(value: unknown): value is SnapshotHeader {
  if (typeof value !== 'object' || value === null) return false;
  const { format, epoch, seq, count, sha256, savedAtMs } = value as Record<string, unknown>;
  const numbers = [epoch, seq, count, savedAtMs];
  return format === FORMAT && numbers.every(Number.isSafeInteger) && typeof sha256 === 'string';
}
