import { isAbsoluteUrl, readAddress } from './host.js';
import type { ImportFormat } from './import-format.js';
import { lineFormat } from './line-format.js';
import { OrderedPaths } from './ordered-paths.js';
import { failed, isRefusal, type Outcome, type Refusal, skipped, taken } from './outcome.js';
import { statusCodeOf, unfitStatus } from './redirect-status.js';

/** `_redirects` of Netlify and Cloudflare Pages: `from [name=value…] to [status[!]] [condition=value…]`. */
export const netlify: ImportFormat = lineFormat('netlify', () => {
  const order = new OrderedPaths();
  return ({ text, number }) => [order.place(readLine(text), number)];
});

/** Status of Netlify. Cloudflare Pages answers 302. */
const DEFAULT_STATUS = '301';

function readLine(line: string): Outcome {
  const words = line.trim().split(/\s+/);
  const comment = words.findIndex((word) => word.startsWith('#'));
  const [from = '', ...parts] = comment === -1 ? words : words.slice(0, comment);
  if (from === '') return skipped(comment === -1 ? 'Empty line.' : 'Comment.');
  const toAt = parts.findIndex((part) => part.startsWith('/') || isAbsoluteUrl(part));
  if (toAt === -1) {
    const isRewrite = /^2\d\d!?$/.test(parts[0] ?? '');
    return isRewrite
      ? unfitStatus(Number.parseInt(parts[0] ?? '', 10))
      : failed('The line has no destination. Write a path that starts with "/", or a URL, after the source.');
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
  const code = /^\d{3}!?$/.test(status) ? Number.parseInt(status, 10) : undefined;
  const statusCode = code === undefined ? undefined : statusCodeOf(code);
  if (statusCode === undefined) return unfitStatus(code ?? status);
  const [condition] = conditions;
  if (condition !== undefined) return failed(conditionMessage(condition));
  const address = isAbsoluteUrl(from)
    ? readAddress(from)
    : { host: null, path: from, hasPort: false, query: undefined };
  if (address === undefined || address.hasPort) {
    return failed('The source must be a path, or a URL without a port.', 'path');
  }
  if (address.query !== undefined || address.path.includes('?')) {
    return failed('A query cannot be part of the source. Write "name=value" after it.', 'path');
  }
  const query = queryOf(params);
  if (isRefusal(query)) return failed(query.refusal, query.field);
  const splat = address.path.endsWith('/*');
  const destination = destinationOf(to, query.names, splat);
  if (isRefusal(destination)) return failed(destination.refusal, destination.field);
  return taken({
    host: address.host,
    path: address.path,
    query: query.conditions,
    destination: statusCode === 410 ? null : destination,
    statusCode,
    queryForwarding: !destination.includes('?'),
  });
}

function conditionMessage(condition: string): string {
  const name = condition.split('=')[0]?.toLowerCase() ?? '';
  const attribute = name === 'country' ? 'country' : name === 'language' ? 'language' : undefined;
  if (attribute === undefined) return `The condition "${condition}" is not available for paths. Remove it.`;
  return `Conditions on ${attribute} are not available for paths. Create a rule on ${attribute} instead.`;
}

interface QueryPart {
  readonly conditions: Record<string, string | boolean> | null;
  /** Name of the parameter for each placeholder. */
  readonly names: ReadonlyMap<string, string>;
}

function queryOf(params: readonly string[]): QueryPart | Refusal {
  const conditions = new Map<string, string | boolean>();
  const names = new Map<string, string>();
  for (const param of params) {
    const equals = param.indexOf('=');
    if (equals < 1) {
      return {
        refusal: `"${param}" is neither a destination nor a query parameter like "id=:id".`,
        field: 'query',
      };
    }
    const [name, value] = [param.slice(0, equals), param.slice(equals + 1)];
    const isPlaceholder = /^:[A-Za-z]\w*$/.test(value);
    conditions.set(name, isPlaceholder ? true : value);
    if (isPlaceholder) names.set(value.slice(1), name);
  }
  return { conditions: conditions.size === 0 ? null : Object.fromEntries(conditions), names };
}

/** Writes `:splat` as `*` and placeholders of the query as `{query.name}`. */
function destinationOf(to: string, names: ReadonlyMap<string, string>, hasSplat: boolean): string | Refusal {
  if (/[*{}]/.test(to)) {
    return {
      refusal:
        '"*", "{" and "}" are placeholders here. Write ":splat" for the rest of the path, or %2A, %7B and %7D.',
      field: 'destination',
    };
  }
  if (to.includes(':splat') && !hasSplat) {
    return { refusal: '":splat" needs a source that ends in "/*".', field: 'destination' };
  }
  return to.replace(/:([A-Za-z]\w*)/g, (found, name: string) => {
    if (name === 'splat') return '*';
    const parameter = names.get(name);
    return parameter === undefined ? found : `{query.${parameter}}`;
  });
}
