import {
  comparablePath,
  EXACT,
  keyOf,
  type PathShape,
  shapeOf,
  withoutTrailingSlash,
} from '../../../../shared/paths/path-key.js';
import { readSource } from '../../../../shared/paths/path-source.js';
import { packConditions } from '../../../../shared/paths/query-conditions.js';
import type { ImportedRedirect } from './import-format.js';
import { MovedPaths } from './moved-paths.js';
import { failed, type Outcome, skipped } from './outcome.js';

/** Maximum redirects that are remembered. A table can have 100,000 entries. */
const MAX_REMEMBERED = 200_000;
/** Maximum arrangements of placeholders that are compared. A table can have 64. */
const MAX_SHAPES = 64;
const OPTIONS = { ignoreCase: false, ignoreTrailingSlash: true } as const;

interface Earlier {
  readonly line: number;
  readonly path: string;
}

/**
 * Finds redirects of a file that an earlier one hides. The other systems take the first redirect that matches; tables
 * take the most exact one. A hidden redirect would begin to answer if it were taken.
 */
export class OrderedPaths {
  readonly #earlier = new Map<string, Earlier>();
  /** Keys in lower case of redirects that ignore case. */
  readonly #caseless = new Map<string, Earlier>();
  /** Patterns with conditions on the query. */
  readonly #conditional = new Map<string, Earlier>();
  readonly #shapes = new Set<PathShape>();
  readonly #moved = new MovedPaths();

  /** @param coversRoot whether `/a/*` also matches `/a` in the file's system */
  constructor(private readonly coversRoot: boolean) {}

  /** Returns the reading of a redirect, or that of one that never answers, and remembers the redirect. */
  place(outcome: Outcome, line: number): Outcome {
    const checked = this.check(outcome, line);
    this.remember(checked, line);
    return checked;
  }

  /** Notes that a line gives paths of these patterns another path within the server. */
  move(paths: readonly string[], line: number): void {
    for (const path of paths) this.#moved.add(path, line);
  }

  remember(outcome: Outcome, line: number): void {
    if (outcome.status === 'read') this.#remember(outcome.redirect, line);
  }

  /** Returns the reading of a redirect, or that of one that never answers. */
  check(outcome: Outcome, line: number): Outcome {
    if (outcome.status !== 'read') return outcome;
    const moved = this.#moved.lineFor(outcome.redirect.path ?? '/*');
    if (moved !== undefined) {
      return failed(
        `Line ${moved} gives some of these requests another path first. Write the redirect for the paths that visitors ask for, and remove line ${moved}.`,
        'path',
      );
    }
    const found = this.#find(outcome.redirect);
    if (found === undefined) return this.#partlyHidden(outcome.redirect) ?? outcome;
    const { path } = outcome.redirect;
    const differs =
      path !== null && found.path !== path && withoutTrailingSlash(path) === withoutTrailingSlash(found.path);
    if (found.line === line) return skipped(`The same line decides ${path ?? 'the host'} already.`);
    return differs
      ? failed(
          `${path} differs from ${found.path} in line ${found.line} only by a slash at the end. Keep one of them, or set ignoreTrailingSlash to false and add it by hand.`,
          'path',
        )
      : skipped(`Never answers: line ${found.line} decides all requests for ${path ?? 'the host'}.`);
  }

  #find(redirect: ImportedRedirect): Earlier | undefined {
    const { path, query } = redirect;
    const prefix = `${redirect.host ?? ''} `;
    const whole = this.#earlier.get(`${prefix}*`);
    if (path === null || whole !== undefined) return whole;
    const source = readSource(path);
    if ('field' in source) return undefined;
    const conditions = query === null ? [''] : ['', packConditions(query)];
    const keys = [keyOf(source, OPTIONS), ...this.#coveringKeys(path)];
    for (const key of keys) {
      for (const condition of conditions) {
        const found =
          this.#earlier.get(`${prefix}${key} ${condition}`) ??
          (this.#caseless.size === 0
            ? undefined
            : this.#caseless.get(`${prefix}${key.toLowerCase()} ${condition}`));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** Returns the reading of a redirect that would win over an earlier one with conditions on the query. */
  #partlyHidden({ host, path }: ImportedRedirect): Outcome | undefined {
    if (path === null || this.#conditional.size === 0) return undefined;
    for (const key of this.#coveringKeys(path)) {
      const found = this.#conditional.get(`${host ?? ''} ${key}`);
      if (found === undefined || found.path === path) continue;
      const message = `Line ${found.line} decides some of these requests by their query. A table prefers the longer path. Write line ${found.line} for ${path} as well.`;
      return failed(message, 'query');
    }
    return undefined;
  }

  /** Keys of patterns that match all paths of a source. */
  *#coveringKeys(path: string): Iterable<string> {
    const isPrefix = path.endsWith('/*');
    const text = comparablePath(isPrefix ? path.slice(0, -2) : path, false);
    const segments = text === '' || text === '/' ? [] : text.slice(1).split('/');
    for (const shape of this.#shapes) {
      const length = shape.endsWith('S') ? shape.length - 1 : shape.length;
      if (shape.endsWith('S')) {
        const needed = length + (this.coversRoot || isPrefix ? 0 : 1);
        const isRoot = path === '/' && length === 0;
        if (segments.length < needed && !isRoot) continue;
      } else if (isPrefix || segments.length !== length) continue;
      const key = coveringKey(shape, segments.slice(0, length));
      if (key !== undefined) yield key;
    }
  }

  #remember({ host, path, query, ignoresCase }: ImportedRedirect, line: number): void {
    if (this.#earlier.size >= MAX_REMEMBERED) return;
    if (path === null) {
      this.#earlier.set(`${host ?? ''} *`, { line, path: '/*' });
      return;
    }
    const source = readSource(path);
    if ('field' in source) return;
    const shape = shapeOf(source, OPTIONS);
    if (shape !== EXACT && !this.#shapes.has(shape)) {
      if (this.#shapes.size >= MAX_SHAPES) return;
      this.#shapes.add(shape);
    }
    const condition = query === null ? '' : packConditions(query);
    const key = `${host ?? ''} ${keyOf(source, OPTIONS)}`;
    this.#earlier.set(`${key} ${condition}`, { line, path });
    if (ignoresCase) this.#caseless.set(`${key.toLowerCase()} ${condition}`, { line, path });
    if (condition !== '' && shape !== EXACT) this.#conditional.set(key, { line, path });
  }
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
