/** Returns `text` as `PascalCase`. Everything except letters and digits separates words. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

export function camelCase(text: string): string {
  const name = pascalCase(text);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Returns the singular of an English plural, and any other word unchanged. */
export function singular(word: string): string {
  if (/(ss|us|is|series|stats|analytics)$/i.test(word)) return word;
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y');
  if (/(ss|sh|ch|x)es$/.test(word)) return word.replace(/es$/, '');
  return word.replace(/s$/, '');
}

export const isPlural = (word: string) => singular(word) !== word;

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'put', PATCH: 'update', DELETE: 'delete' };

/**
 * Returns the operation id, which generated clients use as a method name. For routes without `schema.operationId`.
 *
 * `GET /redirects` is `listRedirects`, `POST /redirects` `createRedirect`, `GET /redirects/:id/versions/:version`
 * `getRedirectVersion`, `POST /redirects/:id/restore` `restoreRedirect`.
 *
 * @param url path with parameters in the form `:name`
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
