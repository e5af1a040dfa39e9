import type { RedirectSet, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions } from '../../shared/ruleset/ruleset-version.js';
import type { RulesetTable } from './ruleset-table.js';

/** So few hosts may go at once: somebody is trying the product out, or leaving it. */
const HOSTS_THAT_MAY_GO = 100;

/**
 * Why a snapshot is not to be served in place of what is, or `undefined` when it is.
 *
 * One that has lost more than half of the hosts is more likely a fault of whoever made it than the will of
 * many users, whichever way it came. An operator who means it begins a new epoch: a snapshot of a newer epoch
 * always passes. Deltas are not looked at: each of their removals was committed as such.
 */
export function whyRefused(
  { version, redirects }: RulesetSnapshot<RedirectSet>,
  served: Pick<RulesetTable, 'version' | 'versionText' | 'size'>,
): string | undefined {
  if (served.version === undefined || version.epoch > served.version.epoch) return undefined;
  if (compareVersions(version, served.version) < 0) return `${served.versionText} is newer`;
  if (served.size > HOSTS_THAT_MAY_GO && redirects.length < served.size / 2) {
    return `it has ${redirects.length} hosts where ${served.size} are served; begin a new epoch if that is meant`;
  }
  return undefined;
}
