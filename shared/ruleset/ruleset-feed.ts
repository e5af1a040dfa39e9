import type { PathPage } from '../paths/path-page.js';
import type { PublishedPage } from '../paths/published-paths.js';
import type { RedirectDefinition } from './redirect-definition.js';
import type { RulesetVersion } from './ruleset-version.js';

/** The new state of one host or page: a definition, or `null` when nothing is served there any more. */
export interface RulesetChange {
  /** A host, or the key of a page of paths (`pageKey`). */
  readonly host: string;
  readonly redirect: RedirectDefinition | null;
  /**
   * The page of a key; absent where the page is gone, and for hosts. `redirect` is null beside it, which makes it a removal
   * to a data plane of an older release.
   */
  readonly page?: PathPage;
}

/** Redirects in whatever form whoever read them has them: as an array, or one that takes less room. */
export interface RedirectSet extends Iterable<RedirectDefinition> {
  readonly length: number;
}

/** Whole ruleset at `version`. */
export interface RulesetSnapshot<Redirects extends RedirectSet = readonly RedirectDefinition[]> {
  readonly version: RulesetVersion;
  readonly redirects: Redirects;
  /** Whether redirects were left out that the reader's release cannot serve. A later release has to read it again. */
  readonly isIncomplete?: true;
  /** Pages of paths, where `redirects` does not hold them itself. */
  readonly pages?: Iterable<PublishedPage>;
}

/**
 * The changes that lead from `previousSeq` to `version.seq` within one epoch, in commit order.
 * A receiver whose own seq is not `previousSeq` has missed something and asks for a snapshot.
 */
export interface RulesetDelta {
  readonly version: RulesetVersion;
  readonly previousSeq: number;
  /** The lineage of the version it begins at. Absent where an older release made it, or it is not known. */
  readonly previousLineage?: string;
  readonly changes: readonly RulesetChange[];
}

export interface RulesetFeedListener {
  /** @param snapshot belongs to the listener from then on, who may go on changing it */
  onSnapshot(snapshot: RulesetSnapshot<RedirectSet>): void;
  onDelta(delta: RulesetDelta): void;
  /** The newest committed version there is, said at least every few seconds while the source can be reached. */
  onHead(version: RulesetVersion): void;
  /** Reason why the feed cannot deliver, in words for an operator and without secrets. */
  onProblem(problem: string): void;
  /** Hears the progress of a ruleset's delivery, in words. Absent if nobody shows it. */
  onProgress?(progress: string): void;
  /** Resolves when visitors are answered by all that it was told so far. Absent where they are as soon as it is told. */
  applied?(): Promise<void>;
}

/** Another place to read the whole ruleset from, for when the feed's own is gone. */
export interface RulesetSource {
  /**
   * @param known what the reader has already
   * @returns what leads on from `known`, or the newest snapshot; `undefined` when `known` is the newest
   * @throws when it cannot be read or does not check out
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
   * @param known what the listener has already, all of it: deltas follow where they lead on from it. Otherwise a snapshot does
   */
  start(listener: RulesetFeedListener, known?: RulesetVersion): void;
  /** Asks for a full snapshot. Safe to call at any time and repeatedly. */
  requestSnapshot(): void;
  /** Ends delivery. */
  stop(): void;
}
