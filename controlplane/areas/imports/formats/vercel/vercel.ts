import { type DestinationPart, fillDestination } from '../destination.js';
import { isAbsoluteUrl } from '../host.js';
import type { ImportFormat } from '../import-format.js';
import { type JsonItem, type JsonRecord, jsonFormat, recordOf } from '../json-items.js';
import { forEach, type Outcome, redirectStatusOf, refusal, skipped, taken, withRemark } from '../outcome.js';
import { type RegexPath, regexPaths } from '../regex/regex-paths.js';
import { sourceRegex } from './source-pattern.js';
import { readConditions, type VercelConditions } from './vercel-conditions.js';

/** `redirects` and `routes` of `vercel.json`. */
export const vercel: ImportFormat = jsonFormat('vercel', (document) => {
  const config = recordOf(Array.isArray(document) ? { redirects: document } : document);
  if (config === undefined) throw refusal('The file must be an object with the member "redirects".');
  return Object.entries(config).flatMap(([name, value]) => itemsOf(name, value));
});

function itemsOf(name: string, value: unknown): JsonItem[] {
  const read = name === 'redirects' ? readRedirect : name === 'routes' ? readRoute : undefined;
  if (read !== undefined && Array.isArray(value)) return value.map((one: unknown) => [one, read]);
  return [[{ [name]: value }, () => [skipped(`"${name.slice(0, 100)}" is no redirect.`)]]];
}

const NO_LAST_SLASH = 'Vercel does not match paths with a slash at their end here. Waymark does.';
const MAX_SOURCE_LENGTH = 2_048;

/** Reads an item of `redirects`. Vercel forwards the query. */
function readRedirect(item: JsonRecord): Outcome[] {
  const { source, destination } = item;
  if (typeof source !== 'string' || !source.startsWith('/')) {
    throw refusal('source must be a path that starts with "/".', 'path');
  }
  if (typeof destination !== 'string') {
    throw refusal('destination must be a URL or a path.', 'destination');
  }
  const statusCode = redirectStatusOf(statusOf(item));
  const conditions = readConditions(item);
  if (source.length > MAX_SOURCE_LENGTH) throw refusal('The source is too long.', 'path');
  const regex = sourceRegex(source);
  const names = [...regex.matchAll(/\(\?<(\w+)>/g)].map(([, name = '']) => [name, ''] as const);
  // Groups that do not match are empty.
  const paths = regexPaths(regex, { isRaw: true }).map((one) => ({
    ...one,
    captures: new Map([...names, ...one.captures]),
  }));
  const outcomes = redirectsOf({ paths, conditions, destination, statusCode });
  return /:\w+[*+]/.test(source) ? outcomes.map((one) => withRemark(one, NO_LAST_SLASH)) : outcomes;
}

function statusOf({ permanent, statusCode }: JsonRecord): number {
  if (typeof permanent === 'boolean') return permanent ? 308 : 307;
  return typeof statusCode === 'number' ? statusCode : 308;
}

/** Reads an item of the older `routes`: an expression for the whole path, a status and a `Location`. */
function readRoute(item: JsonRecord): Outcome[] {
  const headers = recordOf(item.headers);
  const destination = headers?.Location ?? headers?.location;
  const { src, status } = item;
  if (typeof src !== 'string' || typeof status !== 'number' || typeof destination !== 'string') {
    return [skipped('The route is no redirect.')];
  }
  const statusCode = redirectStatusOf(status);
  const conditions = readConditions(item);
  const paths = regexPaths(`^${src.replace(/^\^|\$$/g, '')}$`, { isRaw: true });
  return redirectsOf({ paths, conditions, destination, statusCode });
}

interface VercelRedirect {
  readonly paths: readonly RegexPath[];
  readonly conditions: VercelConditions;
  readonly destination: string;
  readonly statusCode: 301 | 302 | 307 | 308;
}

function redirectsOf({ paths, conditions, destination: text, statusCode }: VercelRedirect): Outcome[] {
  const { hosts, query } = conditions;
  return forEach(
    hosts,
    paths,
    ({ host, captures: ofHost }, { path, ending: pathEnding, captures: ofPath }) => {
      const captures = new Map([...ofPath, ...ofHost, ...conditions.captures]);
      const destination = fillDestination(partsOf(text, captures), { path, captures });
      if (!isAbsoluteUrl(destination) && !destination.startsWith('/')) {
        throw refusal('destination must be a URL, or a path that starts with "/".', 'destination');
      }
      return taken({ host, path, pathEnding, query, destination, statusCode, queryForwarding: true });
    },
  );
}

/** Splits a destination at `:name`, `:name*` and `$1`. */
function partsOf(destination: string, groups: ReadonlyMap<string, string>): DestinationPart[] {
  const parts = destination.matchAll(/:([A-Za-z]\w*)[*+]?|\$(\d)|[^:$]+|[:$]/g);
  return Array.from(parts, ([found, name, number]) => {
    const group = name ?? number;
    return group !== undefined && groups.has(group) ? { capture: group } : { text: found };
  });
}
