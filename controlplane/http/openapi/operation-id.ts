import { camelCase, isPlural, pascalCase, singular } from './names.js';

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'put', PATCH: 'update', DELETE: 'delete' };

/**
 * Returns the name that generated clients give to an operation, unless its route has `schema.operationId`.
 *
 * `GET /redirects` is `listRedirects`, `POST /redirects` `createRedirect`, `GET /redirects/:id/versions/:version`
 * `getRedirectVersion`, `POST /redirects/:id/restore` `restoreRedirect`.
 *
 * @param url with parameters as `:name`
 */
export function deriveOperationId(method: string, url: string): string {
  const segments = url.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1);
  if (last === undefined) return `${method.toLowerCase()}Root`;
  const things = segments.flatMap((segment, index) => {
    if (segment.startsWith(':')) return [];
    const isOne = segments[index + 1]?.startsWith(':') === true;
    return [isOne ? singular(segment) : segment];
  });
  const owners = things.slice(0, -1);
  const subject = things.at(-1) ?? '';
  if (last.startsWith(':')) return nameOf(VERBS[method] ?? method.toLowerCase(), [...owners, subject]);
  if (method === 'POST') {
    return isPlural(subject)
      ? nameOf('create', [...owners, singular(subject)])
      : nameOf(camelCase(subject), owners);
  }
  return nameOf(method === 'GET' && isPlural(subject) ? 'list' : (VERBS[method] ?? method.toLowerCase()), [
    ...owners,
    subject,
  ]);
}

function nameOf(verb: string, things: readonly string[]): string {
  return verb + things.map(pascalCase).join('');
}
