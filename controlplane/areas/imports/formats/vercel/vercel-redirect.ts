import { type DestinationPart, fillDestination } from '../destination.js';
import { isAbsoluteUrl } from '../host.js';
import { forEach, isRefusal, type Outcome, type Refusal, refused, taken, withRemark } from '../outcome.js';
import { NO_CAPTURES, type ScopeHost } from '../path-scope.js';
import { statusCodeOf, unfitStatus } from '../redirect-status.js';
import { type RegexPath, regexPaths } from '../regex/regex-paths.js';
import { sourceRegex } from './source-pattern.js';
import { readConditions, type VercelConditions } from './vercel-conditions.js';

type Item = Readonly<Record<string, unknown>>;

/** Reads an item of `redirects`. Vercel passes the query on. */
export function readRedirect(item: Item): Outcome[] | Refusal {
  const { source, destination } = item;
  if (typeof source !== 'string' || !source.startsWith('/')) {
    return { refusal: 'source must be a path that starts with "/".', field: 'path' };
  }
  if (typeof destination !== 'string') {
    return { refusal: 'destination must be a URL or a path.', field: 'destination' };
  }
  const code = statusOf(item);
  const statusCode = statusCodeOf(code);
  if (statusCode === undefined || statusCode === 410) return [unfitStatus(code)];
  const conditions = readConditions(item.has, item.missing);
  if (isRefusal(conditions)) return conditions;
  if (source.length > MAX_SOURCE_LENGTH) return { refusal: 'The source is too long.', field: 'path' };
  const regex = sourceRegex(source);
  const paths = regexPaths(regex, { isRaw: true });
  if (isRefusal(paths)) return paths;
  const names = [...regex.matchAll(/\(\?<(\w+)>/g)].map(([, name = '']) => [name, ''] as const);
  // Groups that do not take part are empty.
  const filled = paths.map((one) => ({ ...one, captures: new Map([...names, ...one.captures]) }));
  const outcomes = redirectsOf({ paths: filled, conditions, destination, statusCode });
  return /:\w+[*+]/.test(source) ? outcomes.map((one) => withRemark(one, NO_LAST_SLASH)) : outcomes;
}

const NO_LAST_SLASH = 'Vercel does not match paths with a slash at their end here. Waymark does.';

const MAX_SOURCE_LENGTH = 2_048;

function statusOf({ permanent, statusCode }: Item): number {
  if (typeof permanent === 'boolean') return permanent ? 308 : 307;
  return typeof statusCode === 'number' ? statusCode : 308;
}

export interface VercelRedirect {
  readonly paths: readonly RegexPath[];
  readonly conditions: VercelConditions;
  readonly destination: string;
  readonly statusCode: 301 | 302 | 307 | 308;
}

export function redirectsOf({ paths, conditions, destination, statusCode }: VercelRedirect): Outcome[] {
  const hosts: readonly ScopeHost[] = conditions.hosts ?? [{ host: null, captures: NO_CAPTURES }];
  return forEach(hosts, paths, ({ host, captures }: ScopeHost, path) => {
    const groups = new Map([...path.captures, ...captures, ...conditions.captures]);
    const filled = fillDestination(partsOf(destination, groups), { path: path.path, captures: groups });
    if (isRefusal(filled)) return refused(filled);
    if (!isAbsoluteUrl(filled) && !filled.startsWith('/')) {
      return refused({
        refusal: 'destination must be a URL, or a path that starts with "/".',
        field: 'destination',
      });
    }
    const query = conditions.query === null ? null : { ...conditions.query };
    return taken({
      host,
      path: path.path,
      pathEnding: path.ending,
      query,
      destination: filled,
      statusCode,
      queryForwarding: true,
    });
  });
}

/** Cuts a destination at `:name`, `:name*` and `$1`. */
function partsOf(destination: string, groups: ReadonlyMap<string, string>): DestinationPart[] {
  const parts: DestinationPart[] = [];
  for (const [found, name, number] of destination.matchAll(/:([A-Za-z]\w*)[*+]?|\$(\d)|[^:$]+|[:$]/g)) {
    const group = name ?? number;
    if (group !== undefined && groups.has(group)) parts.push({ capture: group });
    else parts.push({ text: found });
  }
  return parts;
}
