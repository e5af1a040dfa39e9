import { whyNotReplaced } from '../../shared/ruleset/replacement.js';
import type { RedirectSet, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions } from '../../shared/ruleset/ruleset-version.js';
import type { RulesetTable } from './ruleset-table.js';

/**
 * Says why a snapshot is not served in place of what is; undefined when it is, whichever way it came. Deltas are not
 * checked: each of their removals was committed as such.
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
