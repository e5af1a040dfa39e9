import type { Attribute } from '../../shared/rules/attributes.js';
import { isUnreadable } from '../../shared/ruleset/header-bytes.js';
import type { Route } from '../../shared/ruleset/route.js';
import { HEADER_TOO_LONG, LOOP, TARGET_TOO_LONG, type TextAnswer, UNREADABLE_TARGET } from './text-answer.js';

/**
 * Returns the answer to send instead of `location`, which `route` composed of path and query; undefined without a
 * problem.
 */
export function routeProblem(
  route: Route,
  location: string,
  hostHeader: string,
  path: string,
  query: string | undefined,
): TextAnswer | undefined {
  // Lost bytes matter only if the location contains parts of the request.
  const isForwarding = route.pathForwarding || route.queryForwarding;
  if (isForwarding && (isUnreadable(path) || (query !== undefined && isUnreadable(query)))) {
    return UNREADABLE_TARGET;
  }
  return route.mayLoop && route.isLoop(location, hostHeader, path, query) ? LOOP : undefined;
}

/** Returns the refusal of a request whose `attribute` is too long for the rules. */
export function tooLongAnswer(attribute: Attribute): TextAnswer {
  return attribute === 'url_path' || attribute === 'query_param' ? TARGET_TOO_LONG : HEADER_TOO_LONG;
}
