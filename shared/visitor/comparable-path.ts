import { escapeForwarded } from '../ruleset/header-bytes.js';

/** Escapes with a letter in lower case, and beginnings of such: the end of a text may cut one in two. */
const LOWER_CASE_ESCAPE = /%[\dA-F]?[a-f]/;
const ESCAPES = /%[\dA-Fa-f]{1,2}/g;

/**
 * A path in the one form in which paths compare: bytes beyond ASCII escaped, and the letters of escapes in upper
 * case, since `%c3` and `%C3` are the same byte (RFC 3986, section 6.2.2.1). Nothing is unescaped.
 *
 * @param path of a request or of a rule, or a part of one
 */
export function comparablePath(path: string): string {
  const escaped = escapeForwarded(path);
  if (!escaped.includes('%') || !LOWER_CASE_ESCAPE.test(escaped)) return escaped;
  return escaped.replace(ESCAPES, (bytes) => bytes.toUpperCase());
}
