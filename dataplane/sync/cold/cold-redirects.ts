import { isPageKey, type PublishedPage } from '../../../shared/paths/published-paths.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import type { RedirectSet, RulesetChange } from '../../../shared/ruleset/ruleset-feed.js';
import { createLineLog, offsetOf } from '../../texts/line-log.js';
import { createTextHash, type TextHash } from '../../texts/text-hash.js';
import { createTextIndex, NO_NOTE, NOWHERE } from '../../texts/text-index.js';
import { isLineOf, packText, textOfLine } from '../../texts/text-line.js';
import {
  hasRulesOrOptions,
  isPlainLine,
  PAGE_AFTER,
  packDefinition,
  packPage,
  parsePackedLine,
  unpackDefinition,
  unpackPlainDefinition,
} from './packed-line.js';

import { WildcardZones } from './wildcard-zones.js';

/** Divisor of the share of outdated bytes that starts a clean-up. */
const WASTE_DIVISOR = 4;
/** Bytes that are inspected for each added byte: twice the rate that keeps up with this share of waste. */
const CLEARED_PER_BYTE = 2 * WASTE_DIVISOR;
/** Bytes that one clean-up inspects: 3 ms of work. A longer line is inspected whole. */
const MOST_CLEARED_BYTES = 512 * 1024;

/** Lines as of one moment, in the form of `packed-line.ts`. Later lines of a host replace earlier ones. */
export interface CapturedRedirects extends RedirectSet {
  /** The lines, in pieces of at most 256 KiB unless one line is longer. */
  readonly pieces: readonly Buffer[];
}

export interface ColdRedirect {
  readonly definition: RedirectDefinition;
  /** Whether `isPlainRedirect` accepts it. */
  readonly isPlain: boolean;
  /** Size of the line. */
  readonly lineBytes: number;
  /** Hash of the host. */
  readonly hash: number;
  /** Position for `note`; valid until the next change. */
  readonly place: number;
  /** The note on this definition; `NO_NOTE` before there is one. */
  readonly note: number;
}

/**
 * Redirects as a log of lines, with an index of the last line of each host: 120 to 155 bytes for a redirect without
 * rules, and nothing for the garbage collector to walk.
 */
export class ColdRedirects implements RedirectSet {
  private readonly log = createLineLog();
  private readonly index = createTextIndex((address, host) =>
    isLineOf(host, this.log.bytesAround(address), offsetOf(address)),
  );
  /** Grows with each added or removed host. */
  membershipChanges = 0;
  /** Grows with each change of any line. Addresses are valid while it stays. */
  changes = 0;
  /** Number of current pages of paths. */
  private pageCount = 0;
  /** The wildcard hosts. */
  readonly wildcards = new WildcardZones();
  /** Size of the current lines. */
  private liveBytes = 0;

  constructor(private readonly hash: TextHash = createTextHash()) {}

  /** Number of hosts. */
  get length(): number {
    return this.index.size - this.pageCount;
  }

  /** Size of all lines, including outdated ones. */
  get usedBytes(): number {
    return this.log.usedBytes;
  }

  has(host: string): boolean {
    return !isPageKey(host) && this.index.find(this.hash(host), host) !== NOWHERE;
  }

  find(host: string): ColdRedirect | undefined {
    // Visitors can request any name, and pages are not hosts.
    if (isPageKey(host)) return undefined;
    const hash = this.hash(host);
    const place = this.index.find(hash, host);
    if (place === NOWHERE) return undefined;
    const address = this.index.addressAt(place);
    const start = offsetOf(address);
    const bytes = this.log.bytesAround(address);
    const lineBytes = this.log.lineBytesAt(address);
    const isLong = hasRulesOrOptions(bytes, start + lineBytes);
    // Convert the whole line to text first: reading from a view of the bytes is slow, and visitors wait for this.
    const line = bytes.toString(isLong ? 'utf8' : 'latin1', start, start + lineBytes);
    const isPlain = !isLong && isPlainLine(line);
    const definition = isPlain
      ? unpackPlainDefinition(line, host)
      : unpackDefinition(isLong ? line : this.log.lineAt(address));
    return { definition, isPlain, lineBytes, hash, place, note: this.index.noteAt(place) };
  }

  /**
   * Attaches a number to the definition at a position. It stays until the definition is replaced.
   *
   * @param note of 32 bits, other than `NO_NOTE`
   */
  note(place: number, note: number): void {
    this.index.note(place, note);
  }

  /** Returns the address of a page of paths, for `pageBytes` and `pageStart`; `NOWHERE` when it does not exist. */
  findPage(key: string): number {
    const place = this.index.find(this.hash(key), key);
    return place === NOWHERE ? NOWHERE : this.index.addressAt(place);
  }

  pageBytes(address: number): Buffer {
    return this.log.bytesAround(address);
  }

  /** Returns the position of the page of a key in `pageBytes`. */
  pageStart(address: number, key: string): number {
    return offsetOf(address) + key.length + PAGE_AFTER;
  }

  setPage({ host, page }: PublishedPage): void {
    this.put(host, packPage(host, page));
  }

  set(redirect: RedirectDefinition): void {
    this.put(redirect.host, packDefinition(redirect));
  }

  /** Makes all changes, or none if one of them is malformed. */
  apply(changes: readonly RulesetChange[]): void {
    const packed = changes.map(({ host, redirect, page }) => {
      if (page !== undefined) return { host, isRemoval: false, line: packPage(host, page) };
      if (redirect === null) return { host, isRemoval: true, line: packText(host) };
      return { host: redirect.host, isRemoval: false, line: packDefinition(redirect) };
    });
    for (const { host, isRemoval, line } of packed) {
      if (isRemoval) this.remove(host, line);
      else this.put(host, line);
    }
  }

  /**
   * Takes over a line of a capture.
   *
   * @param line with its newline
   * @throws when the line is malformed
   */
  replay(line: string): void {
    const { host, redirect, page } = parsePackedLine(line);
    if (redirect === null && page === undefined) this.remove(host, line);
    else this.put(host, line);
  }

  /** Returns the redirects of this moment, in constant time. Later changes do not affect the result. */
  capture(): CapturedRedirects {
    const pieces = this.log.capture();
    return { length: this.length, pieces, [Symbol.iterator]: () => definitionsIn(pieces) };
  }

  [Symbol.iterator](): Iterator<RedirectDefinition> {
    return this.capture()[Symbol.iterator]();
  }

  private put(host: string, line: string): void {
    this.changes += 1;
    const hash = this.hash(host);
    const address = this.log.append(line);
    const place = this.index.find(hash, host);
    if (place === NOWHERE) this.noteMember(host, 1);
    this.forget(place);
    this.index.put(hash, host, address, NO_NOTE);
    const lineBytes = this.log.lineBytesAt(address);
    this.liveBytes += lineBytes;
    this.clear(lineBytes);
  }

  private remove(host: string, line: string): void {
    this.changes += 1;
    const hash = this.hash(host);
    const place = this.index.find(hash, host);
    if (place === NOWHERE) return;
    this.noteMember(host, -1);
    this.forget(place);
    this.index.remove(hash, host);
    // Earlier lines of the host are still in the log. Their reader must learn that they are outdated.
    this.clear(this.log.lineBytesAt(this.log.append(line)));
  }

  /** @param difference 1 for an added host, -1 for a removed one */
  private noteMember(host: string, difference: number): void {
    if (isPageKey(host)) this.pageCount += difference;
    else this.membershipChanges += 1;
    this.wildcards.note(host, difference);
  }

  private forget(place: number): void {
    if (place !== NOWHERE) this.liveBytes -= this.log.lineBytesAt(this.index.addressAt(place));
  }

  /**
   * Cleans some of the oldest lines after `addedBytes` were added, as log-structured stores do (Rosenblum and
   * Ousterhout, 1992). Lines still in use move to the end. A line that marks a host as removed is dropped, because no
   * earlier line is left by then. Each change cleans a little, so no change waits long.
   */
  private clear(addedBytes: number): void {
    const mostBytes = Math.max(MOST_CLEARED_BYTES, 2 * addedBytes);
    for (let bytes = Math.min(mostBytes, CLEARED_PER_BYTE * addedBytes); bytes > 0; ) {
      const first = this.isWasteful() ? this.log.first() : undefined;
      if (first === undefined) return;
      bytes -= this.clearFirst(first);
    }
  }

  private isWasteful(): boolean {
    return WASTE_DIVISOR * (this.log.usedBytes - this.liveBytes) > this.log.usedBytes;
  }

  private clearFirst(address: number): number {
    const lineBytes = this.log.lineBytesAt(address);
    const host = textOfLine(this.log.bytesAround(address), offsetOf(address));
    const place = this.index.find(this.hash(host), host);
    if (place !== NOWHERE && this.index.addressAt(place) === address) {
      this.index.move(place, this.log.append(this.log.lineAt(address)));
    }
    this.log.dropFirst();
    return lineBytes;
  }
}

/**
 * Returns `redirects` and `pages` in the compact form. Redirects that have this form already are returned as they
 * are.
 */
export function coldFormOf(redirects: RedirectSet, pages: Iterable<PublishedPage> = []): ColdRedirects {
  if (redirects instanceof ColdRedirects) return redirects;
  const cold = new ColdRedirects();
  for (const page of pages) cold.setPage(page);
  for (const redirect of redirects) cold.set(redirect);
  return cold;
}

function* definitionsIn(pieces: readonly Buffer[]): Generator<RedirectDefinition> {
  const last = new Map<string, RedirectDefinition>();
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; ) {
      const end = piece.indexOf('\n', start) + 1;
      const { host, redirect } = parsePackedLine(piece.toString('utf8', start, end));
      if (redirect === null) last.delete(host);
      else last.set(host, redirect);
      start = end;
    }
  }
  yield* last.values();
}
