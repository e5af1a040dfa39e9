import type { Logger } from 'pino';
import type { RulesetDelta, RulesetFeed, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions, formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { Clock } from './clock.js';
import type { RulesetTable } from './ruleset-table.js';
import type { SavedSnapshot } from './snapshot-file.js';
import { createSnapshotRequest } from './snapshot-request.js';

/** After so many unanswered requests a data plane that is behind says so. */
const STALE_AFTER_UNANSWERED = 3;

/**
 * - `cold`: no ruleset at all, nothing can be answered.
 * - `live`: everything the feed has told of is served.
 * - `resync`: something was missed; the last good ruleset is served until a snapshot comes.
 * - `stale`: the last good ruleset is served and the feed does not confirm it, be it after a start from disk or
 *   because requests for a snapshot stay unanswered.
 */
export type SyncState = 'cold' | 'live' | 'stale' | 'resync';

export interface SyncStatus {
  readonly state: SyncState;
  readonly version: RulesetVersion | undefined;
  /** Time since what is served was last confirmed or changed by the feed; undefined while cold. */
  readonly ageMs: number | undefined;
  /** What went wrong since the feed last delivered something good. */
  readonly lastError: string | undefined;
}

/** Keeps the table equal to what the feed tells, whatever gets lost, repeated or reordered on the way. */
export interface Synchronizer {
  /** Called once. @param saved what an earlier run left behind; served until the feed has something newer */
  start(saved: SavedSnapshot | undefined): void;
  stop(): void;
  status(): SyncStatus;
}

export interface SynchronizerDeps {
  readonly feed: RulesetFeed;
  readonly table: RulesetTable;
  readonly clock: Clock;
  /** Called after each change of the table that came from the feed. */
  readonly onChange: () => void;
  readonly logger: Logger;
  /** For jitter; 0 up to, not including, 1. */
  readonly random?: () => number;
}

export function createSynchronizer(deps: SynchronizerDeps): Synchronizer {
  const { feed, table, clock, onChange, logger, random = Math.random } = deps;
  let state: SyncState = 'cold';
  /** The newest version any message has named: what is served is behind as long as it is older. */
  let head: RulesetVersion | undefined;
  let confirmedAtMs: number | undefined;
  let heardFromFeed = false;
  let lastError: string | undefined;

  const request = createSnapshotRequest({
    ask,
    onUnanswered() {
      // Once or twice is nothing: whoever answers may still be starting.
      const level = request.unanswered < STALE_AFTER_UNANSWERED ? 'debug' : 'warn';
      logger[level]({ unanswered: request.unanswered }, 'no answer to the request for a ruleset snapshot');
      settle();
    },
    clock,
    random,
  });

  function onSnapshot(snapshot: RulesetSnapshot): void {
    if (table.version !== undefined && compareVersions(snapshot.version, table.version) < 0) {
      report(`refused snapshot ${formatVersion(snapshot.version)}: ${table.versionText} is newer`);
      return;
    }
    table.replaceAll(snapshot);
    accepted();
  }

  function onDelta(delta: RulesetDelta): void {
    const own = table.version;
    if (own !== undefined && compareVersions(delta.version, own) <= 0) return;
    noteHead(delta.version);
    if (own?.epoch !== delta.version.epoch || own.seq !== delta.previousSeq) {
      logger.info({ own: table.versionText, missedUntil: formatVersion(delta.version) }, 'ruleset gap');
      request.open();
      settle();
      return;
    }
    table.apply(delta);
    accepted();
  }

  function accepted(): void {
    heardFromFeed = true;
    confirmedAtMs = clock.nowMs();
    lastError = undefined;
    // A snapshot may have been made before the change whose loss it was asked for; the request stays open then,
    // and its waiting times keep a feed that never catches up from being asked in a tight loop.
    if (isBehind()) request.open();
    else request.close();
    settle();
    onChange();
  }

  function noteHead(version: RulesetVersion): void {
    if (head === undefined || compareVersions(version, head) > 0) head = version;
  }

  function isBehind(): boolean {
    return head !== undefined && table.version !== undefined && compareVersions(table.version, head) < 0;
  }

  function settle(): void {
    const next = nextState();
    if (next === state) return;
    logger.info({ from: state, to: next, version: table.versionText, hosts: table.size }, 'ruleset state');
    state = next;
  }

  function nextState(): SyncState {
    if (table.version === undefined) return 'cold';
    if (!heardFromFeed || request.unanswered >= STALE_AFTER_UNANSWERED) return 'stale';
    return isBehind() ? 'resync' : 'live';
  }

  function report(error: string): void {
    lastError = error;
    logger.error(error);
  }

  /** Whatever fails while a message is taken in, the ruleset served stays and a snapshot is asked for. */
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
        confirmedAtMs = saved.savedAtMs;
        settle();
      }
      request.expect();
      feed.start({
        onSnapshot: guarded('snapshot', onSnapshot),
        onDelta: guarded('delta', onDelta),
      });
    },
    stop() {
      request.close();
      feed.stop();
    },
    status() {
      const ageMs = confirmedAtMs === undefined ? undefined : Math.max(0, clock.nowMs() - confirmedAtMs);
      return { state, version: table.version, ageMs, lastError };
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
