import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import type { RedirectSet, RulesetSnapshot } from '../../../shared/ruleset/ruleset-feed.js';
import { type CapturedRedirects, coldFormOf } from './cold-redirects.js';

/** Returns the snapshot with its redirects as an array. */
export function listed(snapshot: RulesetSnapshot<RedirectSet>): RulesetSnapshot {
  return { ...snapshot, redirects: [...snapshot.redirects] };
}

/** The snapshot as a table captures it. */
export function captured(snapshot: RulesetSnapshot): RulesetSnapshot<CapturedRedirects> {
  return { ...snapshot, redirects: coldFormOf(snapshot.redirects).capture() };
}

export function hostsIn(redirects: Iterable<RedirectDefinition>): string[] {
  return Array.from(redirects, ({ host }) => host);
}
