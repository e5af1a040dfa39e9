import { escapeForwarded } from '../ruleset/header-bytes.js';

/** Escapes with a letter in lower case, and beginnings of such: the end of a text may cut one in two. */
const LOWER_CASE_ESCAPE = /%[\dA-F]?[a-f]/;
const ESCAPES = /%[\dA-Fa-f]{1,2}/g;

/**
 * Returns a path in the form in which paths compare: bytes beyond ASCII are escaped, and escapes have upper-case
 * letters, because `%c3` and `%C3` are the same byte (RFC 3986, section 6.2.2.1). It unescapes nothing.
 *
 * @param path of a request or of a rule, or a part of one
 */
export function comparablePath(path: string): string {
  const escaped = escapeForwarded(path);
  if (!escaped.includes('%') || !LOWER_CASE_ESCAPE.test(escaped)) return escaped;
  return escaped.replace(ESCAPES, (bytes) => bytes.toUpperCase());
}
