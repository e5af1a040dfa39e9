import type { Logger } from 'pino';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { Clock } from './clock.js';
import type { CapturedRedirects } from './cold/cold-redirects.js';
import type { DiskSnapshot } from './disk-snapshot.js';

/** Maximum average write rate. A pause after each save keeps it. */
const MOST_BYTES_PER_MS = (2 * 1024 * 1024) / 1_000;
/** A slow disk rests ten times as long as the save took … */
const REST_PER_BUSY_MS = 10;
/** … but no longer than this. */
const LONGEST_REST_MS = 300_000;

/**
 * Saves the ruleset some time after a change: once for many changes, one save at a time, and a large ruleset less
 * often.
 */
export interface SnapshotSaver {
  /** Notes that the ruleset has changed. */
  changed(): void;
  /** Resolves when the latest change is on disk or could not be saved. Never rejects. */
  flush(): Promise<void>;
}

export interface SnapshotSaverDeps {
  readonly disk: DiskSnapshot;
  /** Returns the current state to save. */
  readonly current: () => RulesetSnapshot<CapturedRedirects> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Delay of a save after the last change … */
  readonly quietMs?: number;
  /** … and maximum delay after the first one, unless the last save was so large that it is too soon. */
  readonly latestMs?: number;
}

export function createSnapshotSaver(deps: SnapshotSaverDeps): SnapshotSaver {
  const { disk, current, clock, logger, quietMs = 1_000, latestMs = 5_000 } = deps;
  /** Time of the first unsaved change; undefined if there is none. */
  let dirtySinceMs: number | undefined;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let saving: Promise<void> | undefined;

  function arm(delayMs: number): void {
    cancelTimer?.();
    const restMs = restUntilMs - clock.elapsedMs();
    cancelTimer = clock.schedule(saveUnlessResting, Math.max(0, delayMs, restMs));
  }

  /** A pause may have begun since the timer was set. */
  function saveUnlessResting(): void {
    if (clock.elapsedMs() < restUntilMs) arm(0);
    else void save();
  }

  function save(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    saving ??= saveOnce().finally(() => {
      saving = undefined;
      if (dirtySinceMs !== undefined && cancelTimer === undefined) arm(latestMs);
    });
    return saving;
  }

  async function saveOnce(): Promise<void> {
    const snapshot = current();
    if (snapshot === undefined || dirtySinceMs === undefined) return;
    const since = dirtySinceMs;
    dirtySinceMs = undefined;
    const startedMs = clock.elapsedMs();
    try {
      const sizeBytes = await disk.save(snapshot);
      restUntilMs = clock.elapsedMs() + restMsAfter(sizeBytes, clock.elapsedMs() - startedMs);
    } catch (error) {
      dirtySinceMs ??= since;
      logger.error({ err: error }, 'saving the ruleset snapshot failed; trying again shortly');
    }
  }

  return {
    changed() {
      const elapsedMs = clock.elapsedMs();
      dirtySinceMs ??= elapsedMs;
      arm(Math.min(quietMs, dirtySinceMs + latestMs - elapsedMs));
    },
    async flush() {
      // A running save may have begun before the latest change.
      await saving;
      if (dirtySinceMs !== undefined) await save();
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}

function restMsAfter(sizeBytes: number, tookMs: number): number {
  return Math.min(LONGEST_REST_MS, Math.max(sizeBytes / MOST_BYTES_PER_MS, REST_PER_BUSY_MS * tookMs));
}
