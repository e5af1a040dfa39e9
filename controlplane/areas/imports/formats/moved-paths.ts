import { type PathSource, readSource } from '../../../../shared/paths/path-source.js';

/** Maximum patterns that are compared. Beyond it, all later redirects count as affected. */
const MAX_PATTERNS = 1_000;

interface Moved {
  readonly line: number;
  readonly source: PathSource;
}

/**
 * Patterns of internal rewrites. Later directives see the rewritten path, so a later redirect does not answer for the
 * requested path.
 */
export class MovedPaths {
  readonly #moved: Moved[] = [];

  add(path: string, line: number): void {
    if (this.#moved.length > MAX_PATTERNS) return;
    const source = readSource(this.#moved.length === MAX_PATTERNS ? '/*' : path);
    if (!('field' in source)) this.#moved.push({ line, source });
  }

  /** Returns the line of a rewrite that applies to some requests for `path`; undefined without one. */
  lineFor(path: string): number | undefined {
    if (this.#moved.length === 0) return undefined;
    const source = readSource(path);
    return 'field' in source ? undefined : this.#moved.find((one) => overlap(one.source, source))?.line;
  }
}

/** Returns whether a path exists that both sources match. */
export function overlap(one: PathSource, other: PathSource): boolean {
  const [left, right] = [segmentsOf(one), segmentsOf(other)];
  if (!one.isPrefix && left.length < right.length) return false;
  if (!other.isPrefix && right.length < left.length) return false;
  const isParamOf = ({ params }: PathSource, at: number) => [...params.values()].includes(at);
  return left
    .slice(0, right.length)
    .every((segment, at) => segment === right[at] || isParamOf(one, at) || isParamOf(other, at));
}

/** Returns the segments without a slash at the end. */
function segmentsOf({ segments }: PathSource): readonly string[] {
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}
