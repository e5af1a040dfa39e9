import { randomUUID } from 'node:crypto';

/** Bytes of items that are parsed in one step. A step takes about a millisecond. */
const GROUP_BYTES = 16_384;
/** Bytes that are searched in one step. */
const SEARCHED_BYTES = 65_536;
const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];
/** Maximum size of a text. Parsing it takes some milliseconds, and cannot be split. No member takes such a text. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** An array of a document, cut at some of its commas. */
interface LongArray {
  /** Position of its bracket. */
  readonly start: number;
  /** Positions of commas, and of the closing bracket. */
  readonly cuts: readonly number[];
}

/** Says that a document is not valid JSON, without a place. */
export class BrokenJson extends Error {}

/** A text of a document is longer than `MAX_TEXT_BYTES`. */
export class LongText extends Error {
  /** @param at position of its first quote in bytes */
  constructor(readonly at: number) {
    super(`The text at byte ${at} of the request body is longer than 1 MiB.`);
  }
}

/**
 * Parses an object in steps if it contains long arrays, also in nested objects. The result equals `parse` of the whole
 * text.
 *
 * @param parse parses a text; throws for one that is not valid JSON
 * @param tidy changes a parsed value; gets the path of the value
 * @throws {BrokenJson} {LongText}, and errors of `parse` and `tidy`
 */
export function* parseInSteps(
  body: Buffer,
  parse: (text: string) => unknown,
  tidy: (value: unknown, path: (string | number)[]) => unknown,
): Generator<undefined, unknown> {
  const arrays = yield* longArrays(body);
  const mark = randomUUID();
  const whole = parse(withoutArrays(body, arrays, mark));
  const tidied = tidy(whole, []);
  if (arrays.length === 0 || !isObject(tidied)) return tidied;
  const overwritten = new Set(arrays);
  function* fill(object: Record<string, unknown>, path: readonly string[]): Generator<undefined, void> {
    for (const [name, value] of Object.entries(object)) {
      if (isObject(value)) yield* fill(value, [...path, name]);
      if (typeof value !== 'string' || !value.startsWith(mark)) continue;
      const array = arrays[Number(value.slice(mark.length))];
      if (array === undefined) continue;
      object[name] = yield* itemsOf(body, array, [...path, name], parse, tidy);
      overwritten.delete(array);
    }
  }
  yield* fill(tidied, []);
  // A later member of the same name has replaced these. They must be valid JSON all the same.
  for (const array of overwritten) yield* itemsOf(body, array, [], parse, tidy);
  return tidied;
}

/** Finds the arrays that are longer than a group and in no other array. */
function* longArrays(body: Buffer): Generator<undefined, LongArray[]> {
  const found: LongArray[] = [];
  let depth = 0;
  let isArray = false;
  let start = -1;
  let startDepth = 0;
  let groupStart = 0;
  let cuts: number[] = [];
  let turnEnd = SEARCHED_BYTES;
  for (let at = 0; at < body.length; at += 1) {
    if (at >= turnEnd) {
      yield;
      turnEnd = at + SEARCHED_BYTES;
    }
    switch (body[at]) {
      case QUOTE:
        at = yield* endOfText(body, at);
        break;
      case OPEN_OBJECT:
        depth += 1;
        break;
      case OPEN_ARRAY:
        depth += 1;
        if (depth === 1) isArray = true;
        if (!isArray && start === -1) [start, startDepth, groupStart, cuts] = [at, depth, at, []];
        break;
      case COMMA:
        if (depth === startDepth && start !== -1 && at - groupStart > GROUP_BYTES) {
          cuts.push(at);
          groupStart = at;
        }
        break;
      case CLOSE_ARRAY:
        if (depth === startDepth && start !== -1) {
          if (cuts.length > 0) found.push({ start, cuts: [...cuts, at] });
          start = -1;
        }
        depth -= 1;
        break;
      case CLOSE_OBJECT:
        depth -= 1;
        break;
    }
    if (depth < 0) throw new BrokenJson();
  }
  return found;
}

/** Returns the position of the quote that ends a text. */
function* endOfText(body: Buffer, start: number): Generator<undefined, number> {
  let turnEnd = start + SEARCHED_BYTES;
  for (let end = body.indexOf(QUOTE, start + 1); end !== -1; end = body.indexOf(QUOTE, end + 1)) {
    if (end - start > MAX_TEXT_BYTES) throw new LongText(start);
    if (end >= turnEnd) {
      yield;
      turnEnd = end + SEARCHED_BYTES;
    }
    let escapes = 0;
    while (body[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  throw new BrokenJson();
}

/** Returns the text with a mark and a number in place of each long array. */
function withoutArrays(body: Buffer, arrays: readonly LongArray[], mark: string): string {
  let text = '';
  let done = 0;
  for (const [index, { start, cuts }] of arrays.entries()) {
    text += `${body.toString('utf8', done, start)}"${mark}${index}"`;
    done = (cuts.at(-1) ?? start) + 1;
  }
  return text + body.toString('utf8', done);
}

function* itemsOf(
  body: Buffer,
  { start, cuts }: LongArray,
  path: readonly string[],
  parse: (text: string) => unknown,
  tidy: (value: unknown, path: (string | number)[]) => unknown,
): Generator<undefined, unknown[]> {
  const items: unknown[] = [];
  let from = start + 1;
  for (const cut of cuts) {
    yield;
    const group = parse(`[${body.toString('utf8', from, cut)}]`);
    // Beside a comma there must be an item.
    if (!Array.isArray(group) || group.length === 0) throw new BrokenJson();
    for (const item of group) items.push(tidy(item, [...path, items.length]));
    from = cut + 1;
  }
  return items;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
