import { recordOf } from '../json-items.js';
import { isRefusal, type Outcome, type Refusal, skipped } from '../outcome.js';
import { statusCodeOf, unfitStatus } from '../redirect-status.js';
import { regexPaths } from '../regex/regex-paths.js';
import { readConditions } from './vercel-conditions.js';
import { redirectsOf } from './vercel-redirect.js';

/** Reads an item of the older `routes`: an expression for the whole path, a status and a `Location`. */
export function readRoute(item: Readonly<Record<string, unknown>>): Outcome[] | Refusal {
  const headers = recordOf(item.headers);
  const location = headers?.Location ?? headers?.location;
  const { src, status } = item;
  if (typeof src !== 'string' || typeof status !== 'number' || typeof location !== 'string') {
    return [skipped('The route is no redirect.')];
  }
  const statusCode = statusCodeOf(status);
  if (statusCode === undefined || statusCode === 410) return [unfitStatus(status)];
  const conditions = readConditions(item.has, item.missing);
  if (isRefusal(conditions)) return conditions;
  const paths = regexPaths(`^${src.replace(/^\^|\$$/g, '')}$`, { isRaw: true });
  return isRefusal(paths) ? paths : redirectsOf({ paths, conditions, destination: location, statusCode });
}
