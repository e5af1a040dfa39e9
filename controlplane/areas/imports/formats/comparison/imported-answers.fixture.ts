import { pathEntryOf } from '../../../../../shared/paths/path-cases.fixture.js';
import {
  DEFAULT_PATH_OPTIONS,
  type PathEntry,
  type PathOptions,
} from '../../../../../shared/paths/path-entry.js';
import { originOf, pathLocation } from '../../../../../shared/paths/path-location.js';
import { matchPath } from '../../../../../shared/paths/path-matcher.js';
import { statusIn } from '../../../../../shared/paths/path-page.js';
import { publishedTable } from '../../../../../shared/paths/published-table.fixture.js';
import { createRegexGuard } from '../../../../../shared/rules/regex-guard.js';
import { compileRedirect } from '../../../../../shared/ruleset/compiled-redirect.js';
import { entriesOf } from '../../imported-redirects.js';
import type { ImportedRedirect, ImportedRow } from '../import-format.js';
import type { Answer } from './original-server.fixture.js';

/** Prefix, in answers, of paths that are relative to the redirect's destination. It is removed for the comparison. */
const ORIGIN = 'https://relative.example';

/** Returns Waymark's answers for a host after an import; null if no entry decides. */
export function importedAnswers(
  rows: readonly ImportedRow[],
  host: string,
  options: Partial<PathOptions> = {},
): (target: string) => Answer | null {
  const redirects = rows.flatMap((row) => (row.status === 'read' ? [row.redirect] : []));
  const own = redirects.filter((redirect) => redirect.host === null || redirect.host === host);
  const all = { ...DEFAULT_PATH_OPTIONS, ...options };
  const entries = own
    .flatMap((redirect) => (redirect.path === null ? [] : entriesFor(redirect, host, all)))
    .map(pathEntryOf);
  const whole = own.find(({ path }) => path === null);
  const { paths, pages } = publishedTable(entries, all, host);
  return (target) => {
    const [path = '', query = ''] = target.split(/\?(.*)/s);
    const match = matchPath(paths, pages, path, () => query);
    if (match === undefined) return whole === undefined ? null : wholeAnswer(whole, host, path, query);
    const status = statusIn(match.code);
    if (status === 410) return { status, location: null };
    const base = { origin: originOf(`${ORIGIN}/`), queryForwarding: false };
    const location = pathLocation(match.template, match.code, base, { path, query, labels: '' });
    return { status, location: location.startsWith(ORIGIN) ? location.slice(ORIGIN.length) : location };
  };
}

/** Returns the entries that the API creates from a row. */
function entriesFor(redirect: ImportedRedirect, host: string, options: PathOptions) {
  return entriesOf(redirect, host, options).flatMap((taken) =>
    taken.status === 'read' ? [taken.value as Pick<PathEntry, 'source' | 'destination'>] : [],
  );
}

function wholeAnswer(redirect: ImportedRedirect, host: string, path: string, query: string): Answer {
  const { destination, statusCode, pathForwarding, queryForwarding } = redirect;
  const compiled = compileRedirect(
    {
      id: '1',
      host,
      destination: destination ?? '',
      redirectType: statusCode === 301 || statusCode === 308 ? 'permanent' : 'temporary',
      pathForwarding: pathForwarding ?? false,
      queryForwarding: queryForwarding ?? false,
      samplingRate: 0,
      ...((statusCode === 307 || statusCode === 308) && { statusCode }),
    },
    createRegexGuard(),
  );
  const route = compiled.routeOf(undefined);
  return { status: route.statusCode, location: route.location(path, query) };
}

const SEGMENTS = ['x', 'a.b', 'UP', '1', 'x%20y'];

/** Returns requests for every source, and for slightly different paths. */
export function requestsFor(rows: readonly ImportedRow[], host: string): string[] {
  const requests = new Set<string>();
  for (const row of rows) {
    if (row.status !== 'read' || (row.redirect.host !== null && row.redirect.host !== host)) continue;
    const { path, query } = row.redirect;
    for (const target of targetsOf(path ?? '/*')) {
      for (const search of searchesOf(query)) requests.add(target + search);
    }
  }
  return [...requests];
}

function targetsOf(source: string): string[] {
  const isPrefix = source.endsWith('/*');
  const ends = isPrefix ? ['', 'x', 'deep/er/', 'a//b', 'caf%C3%A9'] : [''];
  return SEGMENTS.slice(0, source.includes(':') ? 5 : 1).flatMap((value) => {
    const path = (isPrefix ? source.slice(0, -1) : source).replace(/:\w+/g, value);
    const near = [
      `${path}x`,
      path.slice(0, -1),
      `${path}/`,
      `/x${path}`,
      path.toUpperCase(),
      `${path}/more`,
      `${path}.html`,
    ];
    return [...ends.map((end) => path + end), ...near].filter(
      (one) => one.startsWith('/') && !one.startsWith('//'),
    );
  });
}

function searchesOf(query: ImportedRedirect['query']): string[] {
  const wanted = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === false ? [] : [`${name}=${value === true ? 'v' : value}`],
  );
  const own = wanted.join('&');
  return own === ''
    ? ['', '?q=1&r=%C3%A9', '?x=a+b&flag']
    : [`?${own}`, '', `?${own}&more=1`, '?other=1', `?${own}x`];
}
