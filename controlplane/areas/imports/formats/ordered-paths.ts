import {
  comparablePath,
  compareShapes,
  EXACT,
  keyOf,
  type PathShape,
  shapeOf,
  withoutTrailingSlash,
} from '../../../../shared/paths/path-key.js';
import { type PathSource, readSource } from '../../../../shared/paths/path-source.js';
import { packConditions } from '../../../../shared/paths/query-conditions.js';
import type { ImportedRedirect } from './import-format.js';
import { MovedPaths, overlap } from './moved-paths.js';
import { failed, type Outcome, skipped, withRemark } from './outcome.js';

/** Maximum redirects that are remembered. A table can have 100,000 entries. */
const MAX_REMEMBERED = 200_000;
/** Maximum arrangements of placeholders that are compared. A table can have 64. */
const MAX_SHAPES = 64;
/** Maximum patterns that are compared with each later one. */
const MAX_PATTERNS = 1_000;
const OPTIONS = { ignoreCase: false, ignoreTrailingSlash: true } as const;

interface Earlier {
  readonly line: number;
  readonly path: string;
}

/** Pattern of an earlier redirect. */
interface EarlierPattern extends Earlier {
  readonly host: string | null;
  readonly shape: PathShape;
  readonly source: PathSource;
  readonly ends: number;
}

/** Bits for the ends of paths: nothing after the source, a slash, or a slash and more. A set is the sum of its bits. */
const BARE = 1;
const SLASH = 2;
const BELOW = 4;
/** The possible sets of a source. */
const PREFIX_ENDS = [BARE + SLASH + BELOW, SLASH + BELOW, BELOW] as const;
const EXACT_ENDS = [BARE + SLASH, BARE, SLASH] as const;

/** Returns the ends of the paths that a source matches. */
function endsOf(path: string, pathEnding: ImportedRedirect['pathEnding']): number {
  if (path.endsWith('/*'))
    return pathEnding === 'below' ? BELOW : pathEnding === 'exact' ? SLASH + BELOW : BARE + SLASH + BELOW;
  if (pathEnding !== 'exact' || path === '/') return BARE + SLASH;
  return path.endsWith('/') ? SLASH : BARE;
}

/**
 * Finds redirects of a file that an earlier one hides. Other systems use the first redirect that matches; tables use
 * the most exact one. If a hidden redirect were imported, it would start to answer.
 */
export class OrderedPaths {
  readonly #earlier = new Map<string, Earlier>();
  /** Keys in lower case of redirects that ignore case. */
  readonly #caseless = new Map<string, Earlier>();
  /** Patterns with conditions on the query. */
  readonly #conditional = new Map<string, Earlier>();
  readonly #shapes = new Set<PathShape>();
  readonly #patterns: EarlierPattern[] = [];
  readonly #moved = new MovedPaths();
  /** First line whose requests the original answers but the table does not. */
  #unserved: number | undefined;
  /** First line whose pattern is not compared with later ones, because the file has too many patterns. */
  #uncompared: number | undefined;
  /** First line that is not compared with any later line. */
  #forgotten: number | undefined;

  /** Returns the reading of a redirect, or the reading of a redirect that never answers. Remembers the redirect. */
  place(outcome: Outcome, line: number): Outcome {
    const checked = this.check(outcome, line);
    this.remember(checked, line);
    return checked;
  }

  /** Records that a line internally rewrites the paths of these patterns. */
  move(paths: readonly string[], line: number): void {
    for (const path of paths) this.#moved.add(path, line);
  }

  remember(outcome: Outcome, line: number): void {
    if (outcome.status === 'read') this.#remember(outcome.redirect, line);
    else if (outcome.status === 'failed' || outcome.isAnswered === true) this.#unserved ??= line;
  }

  /** Returns the reading of a redirect, or the reading of a redirect that never answers. */
  check(outcome: Outcome, line: number): Outcome {
    if (outcome.status !== 'read') return outcome;
    const moved = this.#moved.lineFor(outcome.redirect.path ?? '/*');
    if (moved !== undefined) {
      return failed(
        `Line ${moved} gives some of these requests another path first. Write the redirect for the paths that visitors ask for, and remove line ${moved}.`,
        'path',
      );
    }
    const { redirect } = outcome;
    const { path } = redirect;
    const { found, left } = this.#find(redirect);
    if (found !== undefined && left === 0) {
      return skipped(
        found.line === line
          ? `The same line decides ${path ?? 'the host'} already.`
          : `Never answers: line ${found.line} decides all requests for ${path ?? 'the host'}.`,
      );
    }
    const refusal = this.#partlyHidden(redirect, line) ?? this.#crossed(redirect, line);
    return refusal ?? this.#noted({ ...outcome, redirect: narrowed(redirect, left) });
  }

  /**
   * Adds remarks to a redirect that may get requests of another line: one that is missing in the table, or that was not
   * compared with it.
   */
  #noted(outcome: Outcome & { readonly status: 'read' }): Outcome {
    const { path } = outcome.redirect;
    const isPattern = path !== null && (path.endsWith('/*') || path.includes('/:'));
    const uncompared = this.#forgotten ?? (isPattern ? this.#uncompared : undefined);
    const remarks = [
      this.#unserved !== undefined &&
        `Line ${this.#unserved} is not in the table. Requests for it reach this row if they match.`,
      uncompared !== undefined &&
        `This row was not compared with line ${uncompared} and those after it, because the file has too many redirects or patterns. If one of them matches the same paths, the table may choose another redirect than the original. Test such paths.`,
    ].filter((remark) => remark !== false);
    return remarks.length === 0 ? outcome : withRemark(outcome, remarks.join(' '));
  }

  /** Returns the first earlier redirect that decides some of the requests, and the ends of paths that none decides. */
  #find(redirect: ImportedRedirect): { readonly found: Earlier | undefined; readonly left: number } {
    const { path, query, pathEnding } = redirect;
    const prefix = `${redirect.host ?? ''} `;
    const whole = this.#earlier.get(`${prefix}*`);
    if (path === null || whole !== undefined) return { found: whole, left: 0 };
    const source = readSource(path);
    let left = endsOf(path, pathEnding);
    if ('field' in source) return { found: undefined, left };
    const conditions = query === null ? [''] : ['', packConditions(query)];
    let first: Earlier | undefined;
    for (const { key, wanted, sets } of [
      { key: keyOf(source, OPTIONS), wanted: undefined, sets: source.isPrefix ? PREFIX_ENDS : EXACT_ENDS },
      ...this.#coveringKeys(path),
    ]) {
      for (const condition of conditions) {
        for (const ends of sets) {
          const found = this.#earlierAt(`${prefix}${key}`, `${condition} ${ends}`);
          if (found === undefined) continue;
          const decided = wanted === undefined ? left & ends : (wanted & ends) === wanted ? left : 0;
          if ((left & decided) === 0) continue;
          first ??= found;
          left &= ~decided;
        }
      }
      if (left === 0) break;
    }
    return { found: first, left };
  }

  #earlierAt(key: string, rest: string): Earlier | undefined {
    const found = this.#earlier.get(`${key} ${rest}`);
    if (found !== undefined || this.#caseless.size === 0) return found;
    return this.#caseless.get(`${key.toLowerCase()} ${rest}`);
  }

  /** Returns the reading of a pattern that would win over an earlier one where both match. */
  #crossed({ host, path, pathEnding }: ImportedRedirect, line: number): Outcome | undefined {
    const source = path === null ? undefined : readSource(path);
    if (path === null || source === undefined || 'field' in source || this.#patterns.length === 0)
      return undefined;
    const shape = shapeOf(source, OPTIONS);
    if (shape === EXACT) return undefined;
    const own = { shape, source, ends: endsOf(path, pathEnding) };
    const other = this.#patterns.find(
      (one) =>
        one.line !== line && one.host === host && compareShapes(shape, one.shape) < 0 && meet(one, own),
    );
    if (other === undefined) return undefined;
    const message = `Line ${other.line} (${other.path}) decides some of these requests first. A table prefers the longer literal beginning. Write line ${other.line} for the paths of this line as well, and this line for the others.`;
    return failed(message, 'path');
  }

  /** Returns the reading of a redirect that would win over an earlier one with conditions on the query. */
  #partlyHidden({ host, path }: ImportedRedirect, line: number): Outcome | undefined {
    if (path === null || this.#conditional.size === 0) return undefined;
    for (const { key } of this.#coveringKeys(path)) {
      const found = this.#conditional.get(`${host ?? ''} ${key}`);
      if (found === undefined || found.line === line || found.path === path) continue;
      const message = `Line ${found.line} decides some of these requests by their query. A table prefers the longer path. Write line ${found.line} for ${path} as well.`;
      return failed(message, 'query');
    }
    return undefined;
  }

  /**
   * Yields the keys of patterns that match paths of a source, with the ends that a pattern must match to cover all
   * these paths.
   */
  *#coveringKeys(path: string): Iterable<CoveringKey> {
    const isPrefix = path.endsWith('/*');
    const text = comparablePath(isPrefix ? path.slice(0, -2) : withoutTrailingSlash(path), false);
    const segments = text === '' || text === '/' ? [] : text.slice(1).split('/');
    for (const shape of this.#shapes) {
      const isOuterPrefix = shape.endsWith('S');
      const length = lengthOf(shape);
      if (isOuterPrefix ? segments.length < length : isPrefix || segments.length !== length) continue;
      const key = coveringKey(shape, segments.slice(0, length));
      if (key === undefined) continue;
      const sets = isOuterPrefix ? PREFIX_ENDS : EXACT_ENDS;
      // The path "/" is a slash after an empty source.
      const wanted = segments.length > length ? BELOW : path === '/' && isOuterPrefix ? SLASH : undefined;
      yield { key, sets, wanted };
    }
  }

  #remember({ host, path, query, pathEnding, ignoresCase }: ImportedRedirect, line: number): void {
    if (this.#earlier.size >= MAX_REMEMBERED) {
      this.#forgotten ??= line;
      return;
    }
    if (path === null) {
      this.#earlier.set(`${host ?? ''} *`, { line, path: '/*' });
      return;
    }
    const source = readSource(path);
    if ('field' in source) return;
    const shape = shapeOf(source, OPTIONS);
    if (shape !== EXACT && !this.#shapes.has(shape)) {
      if (this.#shapes.size >= MAX_SHAPES) {
        this.#forgotten ??= line;
        return;
      }
      this.#shapes.add(shape);
    }
    const ends = endsOf(path, pathEnding);
    if (shape !== EXACT) {
      if (this.#patterns.length < MAX_PATTERNS)
        this.#patterns.push({ line, path, host, shape, source, ends });
      else this.#uncompared ??= line;
    }
    const condition = query === null ? '' : packConditions(query);
    const key = `${host ?? ''} ${keyOf(source, OPTIONS)}`;
    this.#earlier.set(`${key} ${condition} ${ends}`, { line, path });
    if (ignoresCase) this.#caseless.set(`${key.toLowerCase()} ${condition} ${ends}`, { line, path });
    if (condition !== '' && shape !== EXACT) this.#conditional.set(key, { line, path });
  }
}

type Extent = Pick<EarlierPattern, 'shape' | 'source' | 'ends'>;

/** Returns whether a path exists that both patterns match. */
function meet(one: Extent, other: Extent): boolean {
  if (!overlap(one.source, other.source)) return false;
  return lengthOf(one.shape) !== lengthOf(other.shape) || (one.ends & other.ends) !== 0;
}

/** Returns the number of segments that a shape names. */
function lengthOf(shape: PathShape): number {
  return shape.endsWith('S') ? shape.length - 1 : shape.length;
}

interface CoveringKey {
  readonly key: string;
  readonly sets: readonly number[];
  /** Ends of the paths after the covering source; undefined if both end at the same place. */
  readonly wanted: number | undefined;
}

/**
 * Returns a redirect for the paths that no earlier one decides. An entry that compares its end also wins in the table.
 */
function narrowed(redirect: ImportedRedirect, left: number): ImportedRedirect {
  const { path, pathEnding } = redirect;
  if (path === null || path.endsWith('/*') || left === endsOf(path, pathEnding)) return redirect;
  const bare = withoutTrailingSlash(path);
  return { ...redirect, path: left === SLASH ? `${bare}/` : bare, pathEnding: 'exact' };
}

function coveringKey(shape: PathShape, segments: readonly string[]): string | undefined {
  let key: string = shape;
  for (const [index, segment] of segments.entries()) {
    const isParam = /^:[A-Za-z]/.test(segment);
    if (shape[index] === 'P' && segment !== '') key += '/:';
    else if (shape[index] === 'L' && !isParam) key += `/${segment}`;
    else return undefined;
  }
  return key;
}
