import { indexOrLength } from './index-or-length.js';

/** Replacement for a masked value. */
export const MASK = '***';

/** Decides by a parameter's name, as sent, whether its value is masked: see `createSecretNames`. */
export type MaskedNames = (name: string) => boolean;

const HTTP_OR_AUTHORITY = /^(?:https?:[\\/]*|(?:[a-z][a-z0-9+.-]*:)?[\\/]{2,})/i;
const AUTHORITY_END = /[\\/?#]/g;
/** An equals sign, plain or encoded any number of times. */
const EQUALS = /=|%(?:25)*3D/i;
/** Delimiters of a query inside a value, plain or encoded any number of times; those of a name are captured. */
const INNER_DELIMITER = /([?&#;]|%(?:25)*(?:26|3B|3F|23))|=|%(?:25)*3D/gi;

/** Masks every parameter. */
export const ALL_NAMES: MaskedNames = () => true;

/**
 * Replaces the values of masked parameters in a raw query. Names and all other parts keep their bytes, and empty values
 * stay empty. It is idempotent. Takes time linear in the query.
 *
 * A masked value ends only at `&`: servers that also split at `;` cannot make the rest of a secret visible. A value
 * that is kept may itself contain a query, plain or percent-encoded (`next=%2Freset%3Ftoken%3Dx`, `a=1;token=x`). The
 * first masked parameter in there masks the rest of that value.
 *
 * @param query without its question mark
 */
export function maskedQuery(query: string, isMasked: MaskedNames, mask = MASK): string {
  let masked = '';
  let copiedTo = 0;
  let equals = -1;
  let percent = -1;
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    end = indexOrLength(query, '&', start);
    // Search again only after the last positions are passed. A search for each pair would be quadratic in a query
    // without them.
    if (equals < start) equals = indexOrLength(query, '=', start);
    if (percent < start) percent = indexOrLength(query, '%', start);
    let maskFrom = end;
    if (equals < end && isMasked(query.slice(start, equals))) maskFrom = equals + 1;
    else {
      const valueStart = equals < end ? equals + 1 : start;
      if (valueStart > start) equals = indexOrLength(query, '=', valueStart);
      // Most values contain no query: no further equals sign, and no escape that might be one.
      if (equals < end || percent < end) maskFrom = innerMaskFrom(query, valueStart, end, isMasked);
    }
    if (maskFrom >= end) continue;
    masked += query.slice(copiedTo, maskFrom) + mask;
    copiedTo = end;
  }
  return copiedTo === 0 ? query : masked + query.slice(copiedTo);
}

/**
 * Returns the start of the first masked value of a query inside the text from `start` to `end`, or `end` without one.
 */
function innerMaskFrom(query: string, start: number, end: number, isMasked: MaskedNames): number {
  const text = query.slice(start, end);
  if (!EQUALS.test(text)) return end;
  let nameStart = 0;
  let isInName = true;
  for (const { index, 0: delimiter, 1: separator } of text.matchAll(INNER_DELIMITER)) {
    const next = index + delimiter.length;
    if (separator !== undefined) {
      nameStart = next;
      isInName = true;
    } else if (isInName) {
      if (next < text.length && isMasked(text.slice(nameStart, index))) return start + next;
      isInName = false;
    }
  }
  return end;
}

/**
 * Masks a URL, or any text that a client sent instead: user info, query and fragment (`#access_token=x`,
 * `#/route?token=x`).
 *
 * @param mask masks a query or a fragment: see `maskedQuery`
 */
export function maskedUrl(url: string, mask: (query: string) => string): string {
  const open = withoutUserInfo(url);
  const { baseEnd, query, fragment } = partsOf(open);
  const maskedParts = [query && mask(query), fragment && mask(fragment)] as const;
  // Most URLs have nothing to mask. Joining the parts again would cost more than this check.
  if (maskedParts[0] === query && maskedParts[1] === fragment) return open;
  return open.slice(0, baseEnd) + prefixed('?', maskedParts[0]) + prefixed('#', maskedParts[1]);
}

function prefixed(mark: string, part: string | undefined): string {
  return part === undefined ? '' : mark + part;
}

/** Removes the query of a URL, and a fragment with parameters in it. Masks user info. */
export function urlWithoutQuery(url: string): string {
  const open = withoutUserInfo(url);
  const { baseEnd, fragment } = partsOf(open);
  const base = open.slice(0, baseEnd);
  return fragment === undefined || EQUALS.test(fragment) ? base : `${base}#${fragment}`;
}

interface UrlParts {
  /** End of the part before query and fragment. */
  readonly baseEnd: number;
  /** Query without its `?`; undefined if there is none. */
  readonly query: string | undefined;
  /** Fragment without its `#`; undefined if there is none. */
  readonly fragment: string | undefined;
}

function partsOf(url: string): UrlParts {
  const hash = indexOrLength(url, '#', 0);
  const question = url.indexOf('?');
  const hasQuery = question !== -1 && question < hash;
  return {
    baseEnd: hasQuery ? question : hash,
    query: hasQuery ? url.slice(question + 1, hash) : undefined,
    fragment: hash < url.length ? url.slice(hash + 1) : undefined,
  };
}

/** Masks the user info of `https://name:password@host/`. Finds it like browsers (WHATWG URL, host state). */
function withoutUserInfo(url: string): string {
  if (!url.includes('@')) return url;
  const start = HTTP_OR_AUTHORITY.exec(url)?.[0].length;
  if (start === undefined) return url;
  AUTHORITY_END.lastIndex = start;
  const end = AUTHORITY_END.exec(url)?.index ?? url.length;
  const at = url.lastIndexOf('@', end - 1);
  return at <= start ? url : url.slice(0, start) + MASK + url.slice(at);
}
