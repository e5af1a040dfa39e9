import { isAbsoluteUrl, readAddress } from './host.js';
import type { ImportFormat } from './import-format.js';
import { OrderedPaths } from './ordered-paths.js';
import { type Outcome, readings, refusal, skipped, statusCodeOf, taken, unfitStatus } from './outcome.js';
import { RowWriter } from './row-writer.js';
import { textLines, tooLong } from './text-lines.js';

/** `_redirects` of Netlify and Cloudflare Pages: `from [name=value…] to [status[!]] [condition=value…]`. */
export const netlify: ImportFormat = {
  name: 'netlify',
  async *read(pieces) {
    const rows = new RowWriter();
    const order = new OrderedPaths();
    for await (const { text, number, isTooLong } of textLines(pieces)) {
      const outcomes = isTooLong
        ? [tooLong()]
        : readings(() => [readLine(text)]).map((one) => order.place(one, number));
      yield* rows.write(text, outcomes, number);
    }
  },
};

/** Status of Netlify. Cloudflare Pages answers 302. */
const DEFAULT_STATUS = '301';

function readLine(line: string): Outcome {
  const words = line.trim().split(/\s+/);
  const comment = words.findIndex((word) => word.startsWith('#'));
  const [from = '', ...parts] = comment === -1 ? words : words.slice(0, comment);
  if (from === '') return skipped(comment === -1 ? 'Empty line.' : 'Comment.');
  const toAt = parts.findIndex((part) => part.startsWith('/') || isAbsoluteUrl(part));
  if (toAt === -1) {
    const [first = ''] = parts;
    if (/^2\d\d!?$/.test(first)) throw unfitStatus(Number.parseInt(first, 10));
    throw refusal(
      'The line has no destination. Write a path that starts with "/", or a URL, after the source.',
    );
  }
  const [status = DEFAULT_STATUS, ...conditions] = parts.slice(toAt + 1);
  return readRule(from, parts.slice(0, toAt), parts[toAt] ?? '', { status, conditions });
}

function readRule(
  from: string,
  params: readonly string[],
  to: string,
  { status, conditions }: { status: string; conditions: readonly string[] },
): Outcome {
  if (!/^\d{3}!?$/.test(status)) throw unfitStatus(status);
  const statusCode = statusCodeOf(Number.parseInt(status, 10));
  const [condition] = conditions;
  if (condition !== undefined) throw refusal(conditionMessage(condition));
  const address = isAbsoluteUrl(from)
    ? readAddress(from)
    : { host: null, path: from, hasPort: false, query: undefined };
  if (address === undefined || address.hasPort) {
    throw refusal('The source must be a path, or a URL without a port.', 'path');
  }
  if (address.query !== undefined || address.path.includes('?')) {
    throw refusal('A query cannot be part of the source. Write "name=value" after it.', 'path');
  }
  const { host, path } = address;
  const { query, names } = queryOf(params);
  const destination = destinationOf(to, names, path.endsWith('/*'));
  return taken({ host, path, query, destination, statusCode, queryForwarding: !destination.includes('?') });
}

function conditionMessage(condition: string): string {
  const name = condition.split('=')[0]?.toLowerCase() ?? '';
  const attribute = name === 'country' ? 'country' : name === 'language' ? 'language' : undefined;
  if (attribute === undefined) return `The condition "${condition}" is not available for paths. Remove it.`;
  return `Conditions on ${attribute} are not available for paths. Create a rule on ${attribute} instead.`;
}

/** Returns the conditions of parameters, and the name of the parameter for each placeholder. */
function queryOf(params: readonly string[]) {
  const conditions = new Map<string, string | boolean>();
  const names = new Map<string, string>();
  for (const param of params) {
    const equals = param.indexOf('=');
    if (equals < 1) {
      throw refusal(`"${param}" is neither a destination nor a query parameter like "id=:id".`, 'query');
    }
    const [name, value] = [param.slice(0, equals), param.slice(equals + 1)];
    const isPlaceholder = /^:[A-Za-z]\w*$/.test(value);
    conditions.set(name, isPlaceholder ? true : value);
    if (isPlaceholder) names.set(value.slice(1), name);
  }
  return { query: conditions.size === 0 ? null : Object.fromEntries(conditions), names };
}

/** Writes `:splat` as `*` and placeholders of the query as `{query.name}`. */
function destinationOf(to: string, names: ReadonlyMap<string, string>, hasSplat: boolean): string {
  if (/[*{}]/.test(to)) {
    throw refusal(
      '"*", "{" and "}" are placeholders here. Write ":splat" for the rest of the path, or %2A, %7B and %7D.',
      'destination',
    );
  }
  if (to.includes(':splat') && !hasSplat) {
    throw refusal('":splat" needs a source that ends in "/*".', 'destination');
  }
  return to.replace(/:([A-Za-z]\w*)/g, (found, name: string) => {
    if (name === 'splat') return '*';
    const parameter = names.get(name);
    return parameter === undefined ? found : `{query.${parameter}}`;
  });
}
