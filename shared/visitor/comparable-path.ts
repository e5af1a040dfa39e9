import { escapeForwarded } from '../ruleset/header-bytes.js';

/** Matches escapes with a lower-case letter, and beginnings of such escapes: the end of a text may cut one in two. */
const LOWER_CASE_ESCAPE = /%[\dA-F]?[a-f]/;
const ESCAPES = /%[\dA-Fa-f]{1,2}/g;

/**
 * Returns a path in the form for comparisons: bytes beyond ASCII are escaped, and escapes have upper-case letters,
 * because `%c3` and `%C3` are the same byte (RFC 3986, section 6.2.2.1). It unescapes nothing.
 *
 * @param path of a request or of a rule, or a part of one
 */
export function comparablePath(path: string): string {
  const escaped = escapeForwarded(path);
  if (!escaped.includes('%') || !LOWER_CASE_ESCAPE.test(escaped)) return escaped;
  return escaped.replace(ESCAPES, (bytes) => bytes.toUpperCase());
}
