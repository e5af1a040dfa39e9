import { readBase32, toBase32 } from './base32.js';
import { PATH_STATUS_CODES, type PathStatusCode } from './path-entry.js';
import { hashKey } from './path-key.js';
import { compareConditions } from './query-conditions.js';

/** An entry prepared for publishing. All texts are printable ASCII without spaces, quotes and backslashes. */
export interface PublishedEntry {
  readonly id: number;
  /** Look-up key, see `keyOf`. */
  readonly key: string;
  /** Conditions as written by `packConditions`, after a mark of the path's end. */
  readonly conditions: string;
  readonly statusCode: PathStatusCode;
  readonly queryForwarding: 'inherit' | boolean;
  /** Whether the destination is a path on the redirect's destination. */
  readonly isRelative: boolean;
  /** Whether the template has placeholders or escapes. */
  readonly isFilled: boolean;
  /** Whether the destination is an absolute URL on the redirect's own host. */
  readonly mayLoop: boolean;
  /** Empty for 410. */
  readonly template: string;
}

/**
 * A page is one text with the entries of one range of hashes. Data planes keep it in memory in the same form. It
 * consists of the number of entries, an index of (hash, position) sorted by hash, and the entries as `key id code
 * conditions template`, each followed by a space.
 */
export type PathPage = string;

export const COUNT_DIGITS = 4;
export const HASH_DIGITS = 7;
export const POSITION_DIGITS = 5;
export const INDEX_BYTES = HASH_DIGITS + POSITION_DIGITS;
export const CODE_DIGITS = 2;

const IS_RELATIVE = 1;
const IS_FILLED = 2;
const MAY_LOOP = 4;
const QUERY_FACTOR = 8;
const STATUS_FACTOR = 32;
const QUERY_FORWARDINGS = ['inherit', false, true] as const;

/** Maximum average number of entries per page, until the table has `2 ** MAX_PAGE_BITS` pages. */
const ENTRIES_PER_PAGE = 128;
/** Maximum of 512 pages. A change of all of them still fits into one delta. */
const MAX_PAGE_BITS = 9;

/** Returns how many bits of the hash select the page of a table. */
export function pageBitsFor(entries: number): number {
  let bits = 0;
  while (bits < MAX_PAGE_BITS && entries > ENTRIES_PER_PAGE * 2 ** bits) bits += 1;
  return bits;
}

/** Returns the number of the page of a hash. */
export function pageOf(hash: number, pageBits: number): number {
  return pageBits === 0 ? 0 : hash >>> (32 - pageBits);
}

/** Writes a page. Entries with equal keys follow each other in the order in which they are tried. */
export function encodePage(entries: readonly PublishedEntry[], salt: number): PathPage {
  const sorted = entries
    .map((entry) => ({ entry, hash: hashKey(entry.key, salt) }))
    .sort((a, b) => a.hash - b.hash || compareEntries(a.entry, b.entry));
  let position = COUNT_DIGITS + INDEX_BYTES * sorted.length;
  let index = '';
  const records: string[] = [];
  for (const { entry, hash } of sorted) {
    const record = recordOf(entry);
    index += toBase32(hash, HASH_DIGITS) + toBase32(position, POSITION_DIGITS);
    records.push(record);
    position += record.length;
  }
  return toBase32(sorted.length, COUNT_DIGITS) + index + records.join('');
}

function compareEntries(a: PublishedEntry, b: PublishedEntry): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return compareConditions(a.conditions, b.conditions) || a.id - b.id;
}

function recordOf(entry: PublishedEntry): string {
  const { key, id, conditions, template } = entry;
  return `${key} ${id} ${toBase32(codeOf(entry), CODE_DIGITS)} ${conditions} ${template} `;
}

/** Returns the status and the flags of an entry as one number. */
export function codeOf({
  statusCode,
  queryForwarding,
  isRelative,
  isFilled,
  mayLoop,
}: PublishedEntry): number {
  return (
    STATUS_FACTOR * PATH_STATUS_CODES.indexOf(statusCode) +
    QUERY_FACTOR * QUERY_FORWARDINGS.indexOf(queryForwarding) +
    (isRelative ? IS_RELATIVE : 0) +
    (isFilled ? IS_FILLED : 0) +
    (mayLoop ? MAY_LOOP : 0)
  );
}

export const statusIn = (code: number): PathStatusCode =>
  PATH_STATUS_CODES[Math.floor(code / STATUS_FACTOR)] ?? 410;
export const isRelativeIn = (code: number): boolean => (code & IS_RELATIVE) !== 0;
export const isFilledIn = (code: number): boolean => (code & IS_FILLED) !== 0;
export const mayLoopIn = (code: number): boolean => (code & MAY_LOOP) !== 0;

/** Returns whether an entry forwards the query. `inherited` is the redirect's own setting. */
export function forwardsQueryIn(code: number, inherited: boolean): boolean {
  const forwarding = QUERY_FORWARDINGS[Math.floor(code / QUERY_FACTOR) % 4];
  return typeof forwarding === 'boolean' ? forwarding : inherited;
}

/**
 * Returns the index of the first entry with a hash of at least `hash` in the page that starts at `start`. Hashes are
 * evenly distributed, so the search begins at the expected position and mostly ends in the same cache line of the
 * processor.
 */
export function lowerBound(
  bytes: Uint8Array,
  start: number,
  { count, hash, pageBits }: { count: number; hash: number; pageBits: number },
): number {
  const width = 2 ** (32 - pageBits);
  let index = Math.min(count, Math.floor(((hash % width) / width) * count));
  while (index < count && hashAt(bytes, start, index) < hash) index += 1;
  while (index > 0 && hashAt(bytes, start, index - 1) >= hash) index -= 1;
  return index;
}

export function countAt(bytes: Uint8Array, start: number): number {
  return readBase32(bytes, start, COUNT_DIGITS);
}

// Seven digits have 35 bits, more than the shifts of `readBase32` can handle, so the first two are read separately.
export function hashAt(bytes: Uint8Array, start: number, index: number): number {
  const at = start + COUNT_DIGITS + INDEX_BYTES * index;
  return readBase32(bytes, at, 2) * 2 ** 25 + readBase32(bytes, at + 2, HASH_DIGITS - 2);
}

/** Returns the position of an entry's record, from the start of the page. */
export function positionAt(bytes: Uint8Array, start: number, index: number): number {
  return readBase32(bytes, start + COUNT_DIGITS + INDEX_BYTES * index + HASH_DIGITS, POSITION_DIGITS);
}
