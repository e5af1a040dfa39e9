import secureJson from 'secure-json-parse';
import { isObject } from '../../../../shared/rules/is-object.js';
import type { ImportedRow, ImportFormat } from './import-format.js';
import { OrderedPaths } from './ordered-paths.js';
import { failed, type Outcome, readings, refusal } from './outcome.js';
import { RowWriter } from './row-writer.js';

/** Maximum characters of a JSON file, which is read as a whole. */
export const MAX_JSON_LENGTH = 32 * 1024 * 1024;
/** Maximum levels. Far below the depth at which recursion would exhaust the stack. */
const MAX_DEPTH = 64;
/** Maximum characters of an item that are shown. */
const MAX_SOURCE_LENGTH = 16_384;

export type JsonRecord = Readonly<Record<string, unknown>>;

/** An item of a file, and the function that reads it if it is an object. */
export type JsonItem = readonly [item: unknown, read: (record: JsonRecord) => readonly Outcome[]];

/**
 * Creates a format of one JSON document. The first item that matches decides.
 *
 * @param itemsOf returns every item once, or throws `Unread` if the document is not of the format
 */
export function jsonFormat(name: string, itemsOf: (document: unknown) => readonly JsonItem[]): ImportFormat {
  return {
    name,
    async *read(text): AsyncGenerator<ImportedRow> {
      const rows = new RowWriter();
      const order = new OrderedPaths();
      const whole = await wholeText(text);
      let items: readonly JsonItem[] = [];
      const faults = readings(() => {
        items = itemsOf(parsed(whole));
        return [];
      });
      yield* rows.write('', faults);
      for (const [index, [item, read]] of items.entries()) {
        const record = recordOf(item);
        const outcomes =
          record === undefined ? [failed('The item must be an object.')] : readings(() => read(record));
        yield* rows.write(
          sourceOf(item),
          outcomes.map((outcome) => order.place(outcome, index + 1)),
        );
      }
    },
  };
}

async function wholeText(text: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const piece of text) {
    // Read the rest to its end, but do not keep it.
    if (whole.length <= MAX_JSON_LENGTH) whole += piece;
  }
  return whole;
}

function parsed(text: string): unknown {
  if (text.length > MAX_JSON_LENGTH) {
    throw refusal(`A JSON file can have at most ${MAX_JSON_LENGTH} characters. Split it.`);
  }
  let document: unknown;
  try {
    document = secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch {
    throw refusal('The file is not valid JSON.');
  }
  if (!isNested(document, MAX_DEPTH)) return document;
  throw refusal(`A JSON file can be nested at most ${MAX_DEPTH} levels deep.`);
}

/** Returns whether a value has more levels than allowed. */
function isNested(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isNested(member, levels - 1));
}

function sourceOf(item: unknown): string {
  return (JSON.stringify(item) ?? '').slice(0, MAX_SOURCE_LENGTH);
}

/** Returns the value if it is an object. */
export function recordOf(value: unknown): JsonRecord | undefined {
  return isObject(value) && !Array.isArray(value) ? value : undefined;
}
