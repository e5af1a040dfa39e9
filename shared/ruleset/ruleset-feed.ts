import type { PathPage } from '../paths/path-page.js';
import type { PublishedPage } from '../paths/published-paths.js';
import type { RedirectDefinition } from './redirect-definition.js';
import { differ, type RulesetVersion } from './ruleset-version.js';

/** The new state of one host or page: a definition, or `null` when nothing is served there any more. */
export interface RulesetChange {
  /** A host, or the key of a page of paths (`pageKey`). */
  readonly host: string;
  readonly redirect: RedirectDefinition | null;
  /**
   * The page of a key; absent for hosts and for a removed page. `redirect` is null beside it, so a data plane of an
   * older release reads a removal.
   */
  readonly page?: PathPage;
}

/** Redirects in the form of their reader: an array, or one that takes less memory. */
export interface RedirectSet extends Iterable<RedirectDefinition> {
  readonly length: number;
}

/** Whole ruleset at `version`. */
export interface RulesetSnapshot<Redirects extends RedirectSet = readonly RedirectDefinition[]> {
  readonly version: RulesetVersion;
  readonly redirects: Redirects;
  /** Whether redirects were left out that this release cannot serve. A later release must read the snapshot again. */
  readonly isIncomplete?: true;
  /** Pages of paths, if `redirects` does not hold them. */
  readonly pages?: Iterable<PublishedPage>;
}

/**
 * The changes from `previousSeq` to `version.seq` within one epoch, in commit order. A receiver whose seq is not
 * `previousSeq` has missed changes and requests a snapshot.
 */
export interface RulesetDelta {
  readonly version: RulesetVersion;
  readonly previousSeq: number;
  /** The lineage of the version that it starts from. Absent from an older release, or when it is unknown. */
  readonly previousLineage?: string;
  readonly changes: readonly RulesetChange[];
}

/**
 * Returns whether `delta` leads from `version` to its own. It may begin earlier: it contains every host that changed
 * since its beginning, in the final state, so it is also right from any version in between. A snapshot or a source
 * other than the log can have such a version.
 */
export function leadsOnFrom(version: RulesetVersion, delta: RulesetDelta): boolean {
  if (delta.version.epoch !== version.epoch || delta.previousSeq > version.seq) return false;
  return delta.previousSeq < version.seq || !differ(delta.previousLineage, version.lineage);
}

export interface RulesetFeedListener {
  /** @param snapshot owned by the listener from now on, which may change it */
  onSnapshot(snapshot: RulesetSnapshot<RedirectSet>): void;
  onDelta(delta: RulesetDelta): void;
  /** The newest committed version, repeated at least every few seconds while the source is reachable. */
  onHead(version: RulesetVersion): void;
  /** Reason why the feed cannot deliver, in words for an operator and without secrets. */
  onProblem(problem: string): void;
  /** Reports the progress of a ruleset's delivery, in words. Absent if the listener does not show it. */
  onProgress?(progress: string): void;
  /** Resolves when everything delivered so far is served to visitors. Absent if that is always the case. */
  applied?(): Promise<void>;
}

/** Another source of the whole ruleset, for use when the feed's own is unavailable. */
export interface RulesetSource {
  /**
   * @param known version that the reader has
   * @returns a delta from `known`, or the newest snapshot; `undefined` when `known` is the newest
   * @throws when it cannot be read or is damaged
   */
  read(known: RulesetVersion | undefined): Promise<RulesetSnapshot<RedirectSet> | RulesetDelta | undefined>;
}

/**
 * Source of rulesets. Delivery may repeat, drop or reorder messages. The listener (the synchronizer) detects this by
 * the versions and repairs it with `requestSnapshot`.
 */
export interface RulesetFeed {
  /**
   * Starts delivery to `listener`. Called once.
   *
   * @param known version that the listener has completely. Deltas follow if they start from it, otherwise a snapshot.
   */
  start(listener: RulesetFeedListener, known?: RulesetVersion): void;
  /** Requests a full snapshot. Safe to call at any time and repeatedly. */
  requestSnapshot(): void;
  /** Ends delivery. */
  stop(): void;
}
