import {
  leadsOnFrom,
  type RedirectSet,
  type RulesetDelta,
  type RulesetFeedListener,
  type RulesetSnapshot,
} from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  differ,
  isOtherHistory,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';

/** Delivers rulesets of several sources, never an older one than before. */
export interface RulesetDelivery {
  readonly delivered: RulesetVersion | undefined;
  /** Whether only a snapshot can help. */
  readonly wantsSnapshot: boolean;
  wantSnapshot(): void;
  /** Whether this version was delivered and nothing else is wanted. */
  isDelivered(version: RulesetVersion): boolean;
  /** @returns false, without a delivery, when changes before it are missing */
  deliverDelta(delta: RulesetDelta): boolean;
  /** @returns false, without a delivery, when a newer version was delivered */
  deliverSnapshot(snapshot: RulesetSnapshot<RedirectSet>): boolean;
  /** Ends all deliveries. */
  stop(): void;
}

/** @param known version that the listener has */
export function createRulesetDelivery(
  listener: RulesetFeedListener,
  known?: RulesetVersion,
): RulesetDelivery {
  let delivered = known;
  /** Whether `delivered` comes only from `known`. Its history may have been lost. */
  let isUnconfirmed = known !== undefined;
  let wantsSnapshot = known === undefined;
  let stopped = false;

  return {
    get delivered() {
      return delivered;
    },
    get wantsSnapshot() {
      return wantsSnapshot;
    },
    wantSnapshot() {
      wantsSnapshot = true;
    },
    isDelivered: (version) =>
      !wantsSnapshot &&
      delivered !== undefined &&
      compareVersions(version, delivered) === 0 &&
      !isOtherHistory(version, delivered),
    deliverDelta(delta) {
      if (delivered === undefined || stopped) return false;
      if (compareVersions(delta.version, delivered) <= 0) return true;
      if (!(isUnconfirmed ? beginsAt(delivered, delta) : leadsOnFrom(delivered, delta))) return false;
      isUnconfirmed = false;
      const { seq: previousSeq, lineage } = delivered;
      const { previousLineage: _begins, ...rest } = delta;
      delivered = delta.version;
      listener.onDelta({ ...rest, previousSeq, ...(lineage !== undefined && { previousLineage: lineage }) });
      return true;
    },
    deliverSnapshot(snapshot) {
      if (stopped) return false;
      if (delivered !== undefined && compareVersions(snapshot.version, delivered) < 0) return false;
      delivered = snapshot.version;
      wantsSnapshot = false;
      isUnconfirmed = false;
      listener.onSnapshot(snapshot);
      return true;
    },
    stop() {
      stopped = true;
    },
  };
}

/** Returns whether `delta` begins exactly at `version`. */
function beginsAt({ epoch, seq, lineage }: RulesetVersion, delta: RulesetDelta): boolean {
  return (
    delta.version.epoch === epoch && delta.previousSeq === seq && !differ(delta.previousLineage, lineage)
  );
}
