import type {
  RedirectSet,
  RulesetDelta,
  RulesetFeedListener,
  RulesetSnapshot,
} from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  differ,
  isOtherHistory,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';

/** Hands rulesets on from several sources, never one that is older than what was handed on before. */
export interface RulesetDelivery {
  readonly delivered: RulesetVersion | undefined;
  /** Whether only a snapshot helps. */
  readonly wantsSnapshot: boolean;
  wantSnapshot(): void;
  /** Whether exactly this was delivered, and nothing else is wanted. */
  isDelivered(version: RulesetVersion): boolean;
  /** @returns false, with nothing delivered, when something between it and what was delivered is missing */
  deliverDelta(delta: RulesetDelta): boolean;
  /** @returns false, with nothing delivered, when newer has been delivered */
  deliverSnapshot(snapshot: RulesetSnapshot<RedirectSet>): boolean;
  /** Delivers nothing any more. */
  stop(): void;
}

/** @param known what the listener has already */
export function createRulesetDelivery(
  listener: RulesetFeedListener,
  known?: RulesetVersion,
): RulesetDelivery {
  let delivered = known;
  /** Whether `delivered` is known only from `known`: it may be of a history that was lost meanwhile. */
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

/** Whether `delta` begins exactly at `version`. */
function beginsAt({ epoch, seq, lineage }: RulesetVersion, delta: RulesetDelta): boolean {
  return (
    delta.version.epoch === epoch && delta.previousSeq === seq && !differ(delta.previousLineage, lineage)
  );
}

/**
 * Whether `delta` leads from `version` to its own. It may begin earlier: it names every host that changed since its
 * beginning, as it is at its end, so it leads there from anywhere in between. A snapshot or a source other than the
 * log can be at such a place.
 */
export function leadsOnFrom(version: RulesetVersion, delta: RulesetDelta): boolean {
  if (delta.version.epoch !== version.epoch || delta.previousSeq > version.seq) return false;
  return delta.previousSeq < version.seq || !differ(delta.previousLineage, version.lineage);
}
