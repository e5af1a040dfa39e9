import type { Logger } from 'pino';
import { messageOf } from '../../shared/process/error-facts.js';
import type { DataplaneState } from '../../shared/ruleset/dataplane-report.js';
import { whyNotReplaced } from '../../shared/ruleset/replacement.js';
import type {
  RedirectSet,
  RulesetChange,
  RulesetDelta,
  RulesetFeed,
  RulesetSnapshot,
} from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  differ,
  formatVersion,
  isOtherHistory,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import type { Clock } from './clock.js';
import type { RulesetTable } from './ruleset-table.js';
import type { SavedSnapshot } from './snapshot-file.js';
import { createSnapshotRequest } from './snapshot-request.js';

/** Number of unanswered requests after which a data plane reports that it is behind. */
const STALE_AFTER_UNANSWERED = 3;
/** One minute: the other side may still be starting, and a first start creates its databases. */
const WARN_AFTER_UNANSWERED_AT_START = 6;
/** A feed confirms every few seconds. A version without a confirmation for this long may be outdated. */
const STALE_AFTER_SILENCE_MS = 10_000;
/** A head can arrive before its changes. They count as missed after this time. */
const CATCH_UP_WITHIN_MS = 1_000;
const MOST_PROBLEMS_LOGGED = 20;
const PROGRESS_LOG_INTERVAL_MS = 3_000;
/** Minimum time between two warnings about a feed that does not answer. */
const UNANSWERED_LOG_INTERVAL_MS = 60_000;

export interface SyncStatus {
  readonly state: DataplaneState;
  readonly version: RulesetVersion | undefined;
  /** Number of hosts served. */
  readonly hosts: number;
  /** Time since the feed last confirmed or changed the ruleset; undefined while cold. */
  readonly ageMs: number | undefined;
  /** The last problem since the feed delivered a usable message. */
  readonly lastError: string | undefined;
  /** Progress of a ruleset's delivery, in words; undefined while none is in progress. */
  readonly progress: string | undefined;
}

/** Keeps the table equal to the feed's state, even if messages are lost, repeated or reordered. */
export interface Synchronizer {
  /**
   * Called once.
   *
   * @param saved ruleset of an earlier run; served until the feed has a newer one
   */
  start(saved: SavedSnapshot | undefined): void;
  stop(): void;
  status(): SyncStatus;
}

export interface SynchronizerDeps {
  readonly feed: RulesetFeed;
  readonly table: RulesetTable;
  readonly clock: Clock;
  /**
   * Called after each change of the table by the feed.
   *
   * @param changes undefined: all may have changed
   */
  readonly onChange: (changes: readonly RulesetChange[] | undefined) => void;
  /** Called whenever the feed confirms that the ruleset is the newest. */
  readonly onConfirmed?: () => void;
  readonly logger: Logger;
  /** Random number for jitter, 0 to below 1. */
  readonly random?: () => number;
}

export function createSynchronizer(deps: SynchronizerDeps): Synchronizer {
  const { feed, table, clock, onChange, logger, random = Math.random } = deps;
  let state: DataplaneState = 'cold';
  /** The newest version that any message named. The served ruleset is behind while it is older. */
  let head: RulesetVersion | undefined;
  /** Time of the last confirmation, in `clock.elapsedMs`. */
  let confirmedAtMs: number | undefined;
  let heardFromFeed = false;
  let lastError: string | undefined;
  let progress: string | undefined;
  let progressLoggedMs = Number.NEGATIVE_INFINITY;
  let unansweredLoggedMs = Number.NEGATIVE_INFINITY;
  const problemsLogged = new Set<string>();
  let cancelCatchUp: (() => void) | undefined;
  let cancelSilence: (() => void) | undefined;

  const request = createSnapshotRequest({
    ask,
    onUnanswered() {
      const worthWarning = heardFromFeed ? STALE_AFTER_UNANSWERED : WARN_AFTER_UNANSWERED_AT_START;
      const isTooEarly =
        request.unanswered < worthWarning ||
        clock.elapsedMs() - unansweredLoggedMs < UNANSWERED_LOG_INTERVAL_MS;
      if (!isTooEarly) unansweredLoggedMs = clock.elapsedMs();
      logger[isTooEarly ? 'debug' : 'warn'](
        { unanswered: request.unanswered },
        'no answer to the request for a ruleset snapshot',
      );
      settle();
    },
    clock,
    random,
  });

  function onSnapshot(snapshot: RulesetSnapshot<RedirectSet>): void {
    const reason = whyRefused(snapshot, table);
    if (reason !== undefined) {
      report(`refused snapshot ${formatVersion(snapshot.version)}: ${reason}`);
      return;
    }
    table.replaceAll(snapshot);
    accepted(undefined);
  }

  function onDelta(delta: RulesetDelta): void {
    const own = table.version;
    if (own !== undefined && compareVersions(delta.version, own) <= 0) return;
    noteHead(delta.version);
    if (own === undefined || !leadsOn(own, delta)) {
      logger.info({ own: table.versionText, missedUntil: formatVersion(delta.version) }, 'ruleset gap');
      request.open();
      settle();
      return;
    }
    table.apply(delta);
    accepted(delta.changes);
  }

  function onHead(version: RulesetVersion): void {
    const own = table.version;
    // Without a ruleset a snapshot is requested already. An older head comes from a source that lags behind.
    if (own === undefined || compareVersions(version, own) < 0) return;
    if (compareVersions(version, own) > 0 || isOtherHistory(version, own)) {
      cancelCatchUp ??= clock.schedule(() => checkCaughtUp(version), CATCH_UP_WITHIN_MS);
      return;
    }
    confirmed();
    settle();
    deps.onConfirmed?.();
  }

  function checkCaughtUp(version: RulesetVersion): void {
    cancelCatchUp = undefined;
    noteHead(version);
    if (isBehind()) request.open();
    settle();
  }

  function onProblem(problem: string): void {
    lastError = problem;
    // A feed repeats a problem with each attempt. If several alternate, each is logged once until all is well.
    if (problemsLogged.has(problem) || problemsLogged.size >= MOST_PROBLEMS_LOGGED) return;
    problemsLogged.add(problem);
    logger.warn({ problem }, 'the ruleset feed has a problem');
  }

  function onProgress(newProgress: string): void {
    progress = newProgress;
    if (clock.elapsedMs() - progressLoggedMs < PROGRESS_LOG_INTERVAL_MS) return;
    progressLoggedMs = clock.elapsedMs();
    logger.info({ progress }, 'a ruleset is on its way');
  }

  function confirmed(): void {
    heardFromFeed = true;
    progress = undefined;
    confirmedAtMs = clock.elapsedMs();
    lastError = undefined;
    problemsLogged.clear();
    cancelSilence ??= clock.schedule(checkSilence, STALE_AFTER_SILENCE_MS);
  }

  function checkSilence(): void {
    const remainingMs = STALE_AFTER_SILENCE_MS - (ageMs() ?? 0);
    cancelSilence = remainingMs > 0 ? clock.schedule(checkSilence, remainingMs) : undefined;
    settle();
  }

  function accepted(changes: readonly RulesetChange[] | undefined): void {
    confirmed();
    // A snapshot may be older than the change whose loss caused the request. Then the request stays open, and its
    // pauses prevent a tight loop.
    if (isBehind()) request.open();
    else request.close();
    settle();
    onChange(changes);
  }

  function noteHead(version: RulesetVersion): void {
    if (head === undefined || compareVersions(version, head) > 0 || isOtherHistory(version, head)) {
      head = version;
    }
  }

  function isBehind(): boolean {
    const own = table.version;
    if (head === undefined || own === undefined) return false;
    return compareVersions(own, head) < 0 || isOtherHistory(own, head);
  }

  function settle(): void {
    const next = nextState();
    if (next === state) return;
    // The process reports a successful start as a whole.
    const level = state === 'cold' && next === 'live' ? 'debug' : 'info';
    logger[level]({ from: state, to: next, version: table.versionText, hosts: table.size }, 'ruleset state');
    state = next;
  }

  function nextState(): DataplaneState {
    if (table.version === undefined) return 'cold';
    const isSilent = !heardFromFeed || (ageMs() ?? 0) >= STALE_AFTER_SILENCE_MS;
    if (isSilent || request.unanswered >= STALE_AFTER_UNANSWERED) return 'stale';
    return isBehind() ? 'resync' : 'live';
  }

  function ageMs(): number | undefined {
    return confirmedAtMs === undefined ? undefined : Math.max(0, clock.elapsedMs() - confirmedAtMs);
  }

  function report(error: string): void {
    lastError = error;
    logger.error(error);
  }

  /** Applies a message. On any error it keeps the served ruleset and requests a snapshot. */
  function guarded<Message>(kind: string, take: (message: Message) => void) {
    return (message: Message): void => {
      try {
        take(message);
      } catch (error) {
        report(`a ruleset ${kind} could not be applied: ${messageOf(error)}`);
        request.open();
        settle();
      }
    };
  }

  function ask(): void {
    try {
      feed.requestSnapshot();
    } catch (error) {
      report(`asking for a ruleset snapshot failed: ${messageOf(error)}`);
    }
  }

  return {
    start(saved) {
      if (saved !== undefined) {
        table.replaceAll(saved.snapshot);
        confirmedAtMs = clock.elapsedMs() - Math.max(0, clock.nowMs() - saved.savedAtMs);
        settle();
      }
      if (table.version === undefined) request.expect();
      const onMessages = {
        onSnapshot: guarded('snapshot', onSnapshot),
        onDelta: guarded('delta', onDelta),
      };
      // The deltas after this version do not contain the redirects that an older release could not serve.
      const known = table.isIncomplete ? undefined : table.version;
      feed.start({ ...onMessages, onHead, onProblem, onProgress }, known);
    },
    stop() {
      cancelCatchUp?.();
      cancelSilence?.();
      request.close();
      feed.stop();
    },
    status: () => ({ state, version: table.version, hosts: table.size, ageMs: ageMs(), lastError, progress }),
  };
}

/** Returns whether `delta` begins exactly at the served version. */
function leadsOn(own: RulesetVersion, { version, previousSeq, previousLineage }: RulesetDelta): boolean {
  return own.epoch === version.epoch && own.seq === previousSeq && !differ(own.lineage, previousLineage);
}

/**
 * Returns why a snapshot must not replace the served one; undefined when it may. Applies to every source. Deltas are
 * not checked: each of their removals was committed as such.
 */
function whyRefused(
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
