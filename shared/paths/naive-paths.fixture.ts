import type { PathEntry, PathOptions } from './path-entry.js';

/** Result of the plain interpreter: the entry and the values of its placeholders. */
export interface NaiveMatch {
  readonly entry: PathEntry;
  readonly params: Readonly<Record<string, string>>;
  readonly rest: string | undefined;
}

interface Candidate extends NaiveMatch {
  readonly rank: readonly number[];
  readonly tie: string;
}

/** Tries all entries one by one, as the documentation describes the order. Shares no code with the matcher. */
export function naiveMatch(
  entries: readonly PathEntry[],
  options: PathOptions,
  path: string,
  query: string,
): NaiveMatch | undefined {
  const candidates = entries.flatMap((entry): Candidate[] => {
    const found = matchSource(entry.source, options, path);
    if (found === undefined || !holds(entry, query) || !endsRight(entry, path)) return [];
    const conditions = Object.values(entry.query ?? {});
    const values = conditions.filter((wanted) => typeof wanted === 'string').length;
    const absent = conditions.filter((wanted) => wanted === false).length;
    // Exact sources first; then the longest literal part before each further placeholder.
    return [
      {
        entry,
        ...found,
        rank: [...found.rank, 0, -conditions.length, -values, absent, rankOfEnding(entry, options)],
        tie: tieOf(entry),
      },
    ];
  });
  return candidates.sort(compare)[0];
}

/** Compares the end of a path as `pathEnding` says it, with the table's options out of the way. */
function endsRight({ source, pathEnding = 'inherit' }: PathEntry, path: string): boolean {
  if (pathEnding === 'inherit') return true;
  if (!source.endsWith('/*')) return source.endsWith('/') === path.endsWith('/');
  const depth = source.split('/').length - 1;
  const below = path.split('/').slice(depth);
  return below.length > 0 && (pathEnding === 'exact' || below.join('/') !== '');
}

/** Entries that compare the end go first, those with a non-empty `*` before the others. */
function rankOfEnding({ source, pathEnding = 'inherit' }: PathEntry, { ignoreTrailingSlash }: PathOptions) {
  if (pathEnding === 'below') return 0;
  const isCompared = source.endsWith('/*') ? source !== '/*' : ignoreTrailingSlash && source !== '/';
  return pathEnding === 'exact' && isCompared ? 1 : 2;
}

function compare(a: Candidate, b: Candidate): number {
  for (let at = 0; at < Math.max(a.rank.length, b.rank.length); at += 1) {
    const difference = (a.rank[at] ?? 0) - (b.rank[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.tie < b.tie ? -1 : 1;
}

function tieOf({ query }: PathEntry): string {
  const of = (kind: string) =>
    Object.entries(query ?? {})
      .filter(([, wanted]) => typeof wanted === kind)
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .sort();
  return [
    ...of('string'),
    ...of('boolean').sort((a, b) => Number(a.endsWith('=false')) - Number(b.endsWith('=false'))),
  ].join('&');
}

function matchSource(source: string, options: PathOptions, path: string) {
  const isPrefix = source.endsWith('/*');
  const wanted = partsOf(isPrefix ? source.slice(0, -1) : source, options, isPrefix);
  const asked = partsOf(path, options, false);
  if (isPrefix ? asked.length < wanted.length : asked.length !== wanted.length) return undefined;
  const params: Record<string, string> = {};
  const rank: number[] = [];
  for (const [index, part] of wanted.entries()) {
    const value = asked[index] ?? '';
    const name = /^:([A-Za-z]\w*)$/.exec(part)?.[1];
    if (name !== undefined && value === '') return undefined;
    if (name === undefined && comparable(part, options) !== comparable(value, options)) return undefined;
    if (name !== undefined) params[name] = value;
    rank.push(name === undefined ? 1 : 2);
  }
  const isExact = !isPrefix && Object.keys(params).length === 0;
  const rest = isPrefix
    ? path
        .split('/')
        .slice(wanted.length + 1)
        .join('/')
    : undefined;
  return { params, rest, rank: [isExact ? 0 : 1, ...rank, ...(isPrefix ? [3] : [])] };
}

function partsOf(path: string, { ignoreTrailingSlash }: PathOptions, isPrefix: boolean): string[] {
  const cut = (ignoreTrailingSlash || isPrefix) && path.endsWith('/') ? path.slice(0, -1) : path;
  return cut === '' || cut === '/' ? [] : cut.slice(1).split('/');
}

function comparable(part: string, { ignoreCase }: PathOptions): string {
  const encoded = part.replace(/[^!-~]|["\\]/gu, (one) => encodeURIComponent(one));
  const upper = encoded.replace(/%[0-9a-f]{2}/gi, (found) => found.toUpperCase());
  return ignoreCase ? upper.toLowerCase() : upper;
}

function holds({ query }: PathEntry, asked: string): boolean {
  const params = new URLSearchParams(asked.replaceAll('#', '%23'));
  return Object.entries(query ?? {}).every(([name, wanted]) =>
    typeof wanted === 'string' ? params.getAll(name).includes(wanted) : params.has(name) === wanted,
  );
}
