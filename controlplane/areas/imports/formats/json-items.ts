import secureJson from 'secure-json-parse';
import type { ImportedRow, ImportFormat } from './import-format.js';
import { failed, isRefusal, type Outcome, type Refusal, refused } from './outcome.js';
import { RowWriter } from './row-writer.js';

/** Maximum characters of a JSON file, which is read as a whole. */
export const MAX_JSON_LENGTH = 32 * 1024 * 1024;
/** Maximum levels, far from where recursion would exhaust the stack. */
const MAX_DEPTH = 64;
/** Maximum characters of an item that are shown. */
const MAX_SOURCE_LENGTH = 16_384;

/** An item of a file, with its readings. */
export interface ReadItem {
  readonly item: unknown;
  readonly outcomes: readonly Outcome[];
}

/** Makes a format of one JSON document. `read` yields every item once, or returns why the document is not of the format. */
export function jsonFormat(
  name: string,
  read: (document: unknown) => Iterable<ReadItem> | Refusal,
): ImportFormat {
  return {
    name,
    async *read(text): AsyncGenerator<ImportedRow> {
      const rows = new RowWriter();
      const items = await readDocument(text, read);
      if (isRefusal(items)) yield* rows.write('', [refused(items)]);
      else for (const { item, outcomes } of items) yield* rows.write(sourceOf(item), outcomes);
    },
  };
}

async function readDocument(
  text: AsyncIterable<string>,
  read: (document: unknown) => Iterable<ReadItem> | Refusal,
): Promise<Iterable<ReadItem> | Refusal> {
  let whole = '';
  for await (const piece of text) {
    // The rest is read to its end, but not kept.
    if (whole.length <= MAX_JSON_LENGTH) whole += piece;
  }
  if (whole.length > MAX_JSON_LENGTH) {
    return { refusal: `A JSON file can have at most ${MAX_JSON_LENGTH} characters. Split it.` };
  }
  let document: unknown;
  try {
    document = secureJson.parse(whole, { protoAction: 'error', constructorAction: 'error' });
  } catch {
    return { refusal: 'The file is not valid JSON.' };
  }
  return isNested(document, MAX_DEPTH)
    ? { refusal: `A JSON file can be nested at most ${MAX_DEPTH} levels deep.` }
    : read(document);
}

/** Returns whether a value has more levels than allowed. */
function isNested(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isNested(member, levels - 1));
}

function sourceOf(item: unknown): string {
  return (JSON.stringify(item) ?? '').slice(0, MAX_SOURCE_LENGTH);
}

/** Returns a value when it is an object with members. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

export function notAnObject(): Outcome {
  return failed('The item must be an object.');
}
