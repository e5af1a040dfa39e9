import type { Attribute } from '../../shared/rules/attributes.js';
import type { Route } from '../../shared/ruleset/route.js';
import { HEADER_TOO_LONG, LOOP, TARGET_TOO_LONG, type TextAnswer, UNREADABLE_TARGET } from './text-answer.js';

/** The addon replaces bytes that are not UTF-8 by this character. The bytes are lost. */
const REPLACEMENT_CHARACTER = '\ufffd';

/** The reason not to send `location`, which `route` made of path and query, if there is one. */
export function problemOf(
  route: Route,
  location: string,
  hostHeader: string,
  path: string,
  query: string | undefined,
): TextAnswer | undefined {
  // Only where the location is made of the request does it matter what got lost of it.
  const isForwarding = route.pathForwarding || route.queryForwarding;
  if (isForwarding && (isUnreadable(path) || (query !== undefined && isUnreadable(query)))) {
    return UNREADABLE_TARGET;
  }
  return route.mayLoop && route.isLoop(location, hostHeader, path, query) ? LOOP : undefined;
}

/** Returns whether bytes of a path or query were lost. */
export function isUnreadable(text: string): boolean {
  return text.includes(REPLACEMENT_CHARACTER);
}

/** The refusal of a visitor who sent too much of `attribute` for rules to judge it. */
export function excessOf(attribute: Attribute): TextAnswer {
  return attribute === 'url_path' || attribute === 'query_param' ? TARGET_TOO_LONG : HEADER_TOO_LONG;
}
