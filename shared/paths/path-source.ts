import { MAX_PATTERN_SEGMENTS, MAX_SOURCE_LENGTH, type PathFault } from './path-entry.js';

/** A parsed source. */
export interface PathSource {
  /** Segments after the leading slash. The source `/` has none. A trailing slash adds an empty segment at the end. */
  readonly segments: readonly string[];
  /** Whether it ends in `/*`. The `*` is not part of the segments. */
  readonly isPrefix: boolean;
  /** Names of its parameters with the index of their segment, from 0. */
  readonly params: ReadonlyMap<string, number>;
}

const PARAM = /^:([A-Za-z][A-Za-z0-9_]*)$/;
const LIKE_PARAM = /^:[A-Za-z]/;
const FORBIDDEN = /[\s\p{Cc}?#\\]/u;
const ACCEPTED = 'an exact path, a prefix that ends in "/*", or segments like ":id"';

/** Returns the parts of a source, or the reason for refusing it. */
export function readSource(source: string): PathSource | PathFault {
  if (!source.startsWith('/')) return fault(`source must start with "/": ${ACCEPTED}.`);
  if (source.length > MAX_SOURCE_LENGTH) {
    return fault(`source must have at most ${MAX_SOURCE_LENGTH} characters (got ${source.length}).`);
  }
  if (source.startsWith('//')) return fault('source must not start with two slashes.');
  if (FORBIDDEN.test(source)) {
    return fault(
      'source must be a path without spaces, "?", "#" and "\\"; conditions on the query go into query.',
    );
  }
  const isPrefix = source.endsWith('/*');
  const literal = isPrefix ? source.slice(0, -2) : source;
  if (literal.includes('*')) return fault('"*" can only stand at the end of source, after a slash.');
  const segments = literal === '' || literal === '/' ? [] : literal.slice(1).split('/');
  return readParams(segments, isPrefix);
}

/** Returns whether a segment of a source is a parameter, which matches any non-empty segment. */
export function isParam(segment: string): boolean {
  return PARAM.test(segment);
}

function readParams(segments: readonly string[], isPrefix: boolean): PathSource | PathFault {
  const params = new Map<string, number>();
  for (const [index, segment] of segments.entries()) {
    const name = PARAM.exec(segment)?.[1];
    if (name === undefined && LIKE_PARAM.test(segment)) {
      return fault(`"${segment}" must be ":" and a name of letters, digits and "_", as a whole segment.`);
    }
    if (name === undefined) continue;
    if (params.has(name)) return fault(`":${name}" must occur once in source.`);
    params.set(name, index);
  }
  if ((params.size > 0 || isPrefix) && segments.length > MAX_PATTERN_SEGMENTS) {
    return fault(`A source with ":name" or "*" can have at most ${MAX_PATTERN_SEGMENTS} segments.`);
  }
  return { segments, isPrefix, params };
}

function fault(message: string): PathFault {
  return { field: 'source', message };
}
