import type { PublishedPaths } from '../../../shared/paths/published-paths.js';
import type { RuleDefinition } from '../../../shared/rules/rule-definition.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { fallbackAnswer } from '../../publishing/fallback.js';
import type { Redirect } from './redirect.js';

/**
 * Returns the parts of a verified redirect's published definition that affect answers.
 *
 * @param rules active rules in the order of evaluation
 */
export function decidingDefinition(
  redirect: Redirect,
  rules: readonly RuleDefinition[] = [],
  paths?: PublishedPaths | null,
): RedirectDefinition {
  const { statusCode, startsAt, endsAt, afterEnd, notFound, appendQuery, httpsMode } = redirect;
  return {
    id: redirect.id,
    host: redirect.fromDomain,
    destination: redirect.toDomain,
    redirectType: redirect.redirectType,
    pathForwarding: redirect.pathForwarding,
    queryForwarding: redirect.queryForwarding,
    samplingRate: 0,
    ...(rules.length > 0 && { rules }),
    ...(paths != null && { paths }),
    ...((statusCode === 307 || statusCode === 308) && { statusCode }),
    ...(startsAt !== null && { startsAt: startsAt.getTime() }),
    ...(endsAt !== null && { endsAt: endsAt.getTime() }),
    ...(endsAt !== null && afterEnd !== null && { afterEnd }),
    ...(notFound !== null && { notFound }),
    ...(Object.keys(appendQuery).length > 0 && { appendQuery }),
    ...(httpsMode !== 'both' && { httpsMode }),
  };
}

/**
 * Returns the parts of the published definition that affect answers, for a verified, disabled redirect with a fallback
 * of its owner.
 */
export function fallbackDefinition(redirect: Redirect, url: string): RedirectDefinition {
  const { id, fromDomain: host, httpsMode } = redirect;
  return {
    ...{ id, host, samplingRate: 0 },
    ...fallbackAnswer(url),
    ...(httpsMode !== 'both' && { httpsMode }),
  };
}
