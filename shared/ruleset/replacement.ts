import { formatVersion, isOtherDatabase, type RulesetVersion } from './ruleset-version.js';

/** Maximum number of hosts that may disappear without an explanation, as in a trial of the product. */
const HOSTS_THAT_MAY_GO = 10;

/** Added to `removals` when an operator allowed a ruleset to replace any other one. */
export const ANY_LOSS = 2 ** 40;

/** Number of hosts of a ruleset, with its version. */
export interface RulesetSize {
  readonly version: RulesetVersion;
  readonly hosts: number;
}

/**
 * Returns why `next` must not replace `served`, as a message for the operator. Returns undefined if it may.
 *
 * A ruleset that lost more than half of its hosts is probably a fault, unless commits explain the loss: `removals` must
 * have grown by the number of lost hosts. A ruleset of another database loses every host.
 */
export function whyNotReplaced(served: RulesetSize, next: RulesetSize): string | undefined {
  const permitted = (next.version.removals ?? 0) - (served.version.removals ?? 0);
  if (isOtherDatabase(served.version, next.version) || isOfNewDatabase(served, next)) {
    if (served.hosts === 0 || permitted >= ANY_LOSS) return undefined;
    return `it comes from another database (${next.hosts} hosts) than the one served (${served.hosts} hosts)`;
  }
  const lost = served.hosts - next.hosts;
  if (lost <= permitted) return undefined;
  // A control plane of an older release counts no removals. There a new epoch is the operator's permission.
  if (next.version.lineage === undefined && next.version.epoch > served.version.epoch) return undefined;
  if (lost > HOSTS_THAT_MAY_GO && next.hosts < served.hosts / 2) {
    return `it has ${next.hosts} hosts where ${served.hosts} are served, and no commit removed them`;
  }
  return undefined;
}

/**
 * Returns whether `next` is the empty ruleset of a new database. Rulesets of older releases name no database; then a
 * later epoch shows it.
 */
function isOfNewDatabase(served: RulesetSize, next: RulesetSize): boolean {
  const isUnknown = served.version.lineage === undefined && next.version.lineage !== undefined;
  return isUnknown && next.hosts === 0 && next.version.epoch > served.version.epoch;
}

/** Describes a ruleset in messages. */
export function describeRuleset({ version, hosts }: RulesetSize): string {
  return `${formatVersion(version)} (${hosts} hosts)`;
}
