import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import type { RedirectSet, RulesetSnapshot } from '../../../shared/ruleset/ruleset-feed.js';
import { type CapturedRedirects, coldFormOf } from './cold-redirects.js';

/** The snapshot with its redirects as an array, whatever form they are in. */
export function listed({ version, redirects }: RulesetSnapshot<RedirectSet>): RulesetSnapshot {
  return { version, redirects: [...redirects] };
}

/** The snapshot as a table captures it. */
export function captured({ version, redirects }: RulesetSnapshot): RulesetSnapshot<CapturedRedirects> {
  return { version, redirects: coldFormOf(redirects).capture() };
}

export function hostsIn(redirects: Iterable<RedirectDefinition>): string[] {
  return Array.from(redirects, ({ host }) => host);
}
