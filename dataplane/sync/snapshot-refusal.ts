import { whyNotReplaced } from '../../shared/ruleset/replacement.js';
import type { RedirectSet, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions } from '../../shared/ruleset/ruleset-version.js';
import type { RulesetTable } from './ruleset-table.js';

/**
 * Returns why a snapshot must not replace the served one; undefined when it may. Applies to every source. Deltas are
 * not checked: each of their removals was committed as such.
 */
export function whyRefused(
  { version, redirects }: RulesetSnapshot<RedirectSet>,
  served: Pick<RulesetTable, 'version' | 'versionText' | 'size'>,
): string | undefined {
  if (served.version === undefined) return undefined;
  if (compareVersions(version, served.version) < 0) return `${served.versionText} is newer`;
  const reason = whyNotReplaced(
    { version: served.version, hosts: served.size },
    { version, hosts: redirects.length },
  );
  return reason === undefined ? undefined : `${reason}; begin a new epoch if that is meant`;
}
