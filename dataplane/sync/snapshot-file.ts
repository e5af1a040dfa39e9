import { createHash } from 'node:crypto';
import type { RedirectSet, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { isVersion, type RulesetVersion, versionIn } from '../../shared/ruleset/ruleset-version.js';
import { type CapturedRedirects, ColdRedirects } from './cold/cold-redirects.js';

/** Format of new files. In format 4, rules have names of attributes and operators; in format 5, numbers. Both are read. */
const FORMAT = 5;
const READABLE_FORMATS: readonly unknown[] = [4, FORMAT];
/**
 * Number of the file's contents. 1 adds options of redirects and pages of paths to hosts, destinations and rules. Older
 * releases do not write the number, ignore it, and omit unknown data.
 */
const CONTENTS = 1;
/** The header line is written last, so it has a fixed size and is padded. */
export const HEADER_BYTES = 256;
const NEWLINE = 0x0a;

/**
 * First line of the file; the lines of `CapturedRedirects` follow. An older release wrote the version without a
 * lineage under the same format, and ignores one.
 */
export interface SnapshotHeader extends RulesetVersion {
  readonly format: number;
  /** Number of hosts. */
  readonly count: number;
  /** Hexadecimal SHA-256 of everything after the header line. */
  readonly sha256: string;
  readonly savedAtMs: number;
  readonly contents?: number;
  /** See `RulesetSnapshot`. An older release ignores it. */
  readonly isIncomplete?: true;
}

/** A snapshot of an earlier run. */
export interface SavedSnapshot {
  readonly snapshot: RulesetSnapshot<RedirectSet>;
  /** Unix time in milliseconds. */
  readonly savedAtMs: number;
}

/** Checks the data after the header while it is read. Refuses any difference from the written data. */
export interface SnapshotBodyReader {
  /** @param piece may be reused after the call */
  push(piece: Buffer): void;
  /** @throws with the reason when the file is refused */
  end(): SavedSnapshot;
}

/** @returns exactly `HEADER_BYTES` bytes, ending with the end of the line */
export function encodeHeader(
  { version, redirects, isIncomplete }: RulesetSnapshot<CapturedRedirects>,
  sha256: string,
  savedAtMs: number,
): Buffer {
  const header: SnapshotHeader = {
    format: FORMAT,
    contents: CONTENTS,
    ...versionIn(version),
    count: redirects.length,
    sha256,
    savedAtMs,
    ...(isIncomplete && { isIncomplete }),
  };
  const text = JSON.stringify(header);
  // Impossible with the numbers of any real ruleset.
  if (text.length >= HEADER_BYTES) throw new RangeError('the header of the snapshot is too long');
  return Buffer.from(`${text.padEnd(HEADER_BYTES - 1)}\n`);
}

/** @throws when the header has another format */
export function decodeHeader(bytes: Buffer): SnapshotHeader {
  const end = bytes.indexOf('\n');
  const header: unknown = end === -1 ? undefined : JSON.parse(bytes.toString('utf8', 0, end));
  if (!isHeader(header)) throw new Error('its first line is no header of a format known here');
  return header;
}

export function createSnapshotBodyReader(header: SnapshotHeader): SnapshotBodyReader {
  const { count, sha256, savedAtMs } = header;
  // Redirects from an older release can lack members. They are served until the feed has sent everything.
  const isIncomplete = header.isIncomplete === true || (header.contents ?? 0) < CONTENTS;
  const redirects = new ColdRedirects();
  const hash = createHash('sha256');
  let fault: Error | undefined;

  const splitter = createLineSplitter((line) => {
    if (fault !== undefined) return;
    try {
      redirects.replay(line.toString('utf8'));
    } catch (error) {
      // The damage of the file explains more than the line in which it appears.
      fault = error instanceof Error ? error : new Error(String(error));
    }
  });

  return {
    push(piece) {
      hash.update(piece);
      splitter.push(piece);
    },
    end() {
      if (hash.digest('hex') !== sha256) throw new Error('its checksum does not match');
      if (fault !== undefined) throw fault;
      if (splitter.isCutOff) throw new Error('its last line is cut off');
      if (redirects.length !== count) {
        throw new Error(`it holds ${redirects.length} redirects where ${count} are announced`);
      }
      const version = versionIn(header);
      return { snapshot: { version, redirects, ...(isIncomplete && { isIncomplete: true }) }, savedAtMs };
    },
  };
}

function isHeader(value: unknown): value is SnapshotHeader {
  if (!isVersion(value)) return false;
  const { format, contents, count, sha256, savedAtMs, isIncomplete } = value as unknown as Record<
    string,
    unknown
  >;
  if (contents !== undefined && !Number.isSafeInteger(contents)) return false;
  if (!READABLE_FORMATS.includes(format) || (isIncomplete !== undefined && isIncomplete !== true))
    return false;
  return [count, savedAtMs].every(Number.isSafeInteger) && typeof sha256 === 'string';
}

/** Splits bytes that arrive in pieces of any length into lines. */
interface LineSplitter {
  /** Passes every line that ends in the piece to `take`. */
  push(piece: Buffer): void;
  /** Whether the last bytes are not the end of a line. */
  readonly isCutOff: boolean;
}

/** @param take gets each line with its newline. It is valid only during the call, because buffers are reused. */
function createLineSplitter(take: (line: Buffer) => void): LineSplitter {
  /** Parts of a line whose end has not arrived. */
  let unfinished: Buffer[] = [];

  function finish(line: Buffer): void {
    if (unfinished.length === 0) {
      take(line);
      return;
    }
    const whole = Buffer.concat([...unfinished, line]);
    unfinished = [];
    take(whole);
  }

  return {
    push(piece) {
      let start = 0;
      for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
        finish(piece.subarray(start, end + 1));
        start = end + 1;
      }
      if (start < piece.length) unfinished.push(Buffer.from(piece.subarray(start)));
    },
    get isCutOff() {
      return unfinished.length > 0;
    },
  };
}
