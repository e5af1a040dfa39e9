import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import type { RulesetChange, RulesetFeed, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';

export interface ScriptedFeed extends RulesetFeed {
  /** Number of requests for a snapshot. */
  readonly requests: number;
  readonly isStopped: boolean;
  snapshot(epoch: number, seq: number, redirects: readonly RedirectDefinition[]): void;
  delta(epoch: number, previousSeq: number, seq: number, changes: readonly RulesetChange[]): void;
  head(epoch: number, seq: number): void;
  problem(problem: string): void;
  /** Version that the listener reported. */
  readonly known: RulesetVersion | undefined;
  /** The listener, for messages beyond numbers. */
  readonly follower: RulesetFeedListener;
}

/** A feed that delivers what the test says. */
export function createScriptedFeed(): ScriptedFeed {
  let listener: RulesetFeedListener | undefined;
  let known: RulesetVersion | undefined;
  let requests = 0;
  let isStopped = false;
  return {
    start(given, givenKnown) {
      listener = given;
      known = givenKnown;
    },
    requestSnapshot() {
      requests += 1;
    },
    stop() {
      isStopped = true;
    },
    get requests() {
      return requests;
    },
    get isStopped() {
      return isStopped;
    },
    snapshot(epoch, seq, redirects) {
      listener!.onSnapshot({ version: { epoch, seq }, redirects });
    },
    delta(epoch, previousSeq, seq, changes) {
      listener!.onDelta({ version: { epoch, seq }, previousSeq, changes });
    },
    head(epoch, seq) {
      listener!.onHead({ epoch, seq });
    },
    problem(problem) {
      listener!.onProblem(problem);
    },
    get known() {
      return known;
    },
    get follower() {
      return listener!;
    },
  };
}
