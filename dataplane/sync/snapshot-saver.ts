import type { Logger } from 'pino';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { Clock } from './clock.js';
import type { DiskSnapshot } from './disk-snapshot.js';

/** Saves the ruleset a while after it changed: not for each of many changes, and never twice at a time. */
export interface SnapshotSaver {
  /** The ruleset has changed. */
  changed(): void;
  /** Resolves once the latest change is on disk or has failed to get there. Never rejects. */
  flush(): Promise<void>;
}

export interface SnapshotSaverDeps {
  readonly disk: DiskSnapshot;
  /** What there is to save at the moment of the call. */
  readonly current: () => RulesetSnapshot | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Saves so long after the last change … */
  readonly quietMs?: number;
  /** … but at the latest so long after the first one. */
  readonly latestMs?: number;
}

export function createSnapshotSaver(deps: SnapshotSaverDeps): SnapshotSaver {
  const { disk, current, clock, logger, quietMs = 1_000, latestMs = 5_000 } = deps;
  /** When the first change not yet handed to the disk was made; undefined when there is none. */
  let dirtySinceMs: number | undefined;
  let cancelTimer: (() => void) | undefined;
  let saving: Promise<void> | undefined;

  function arm(delayMs: number): void {
    cancelTimer?.();
    cancelTimer = clock.schedule(() => void save(), delayMs);
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
    try {
      await disk.save(snapshot);
    } catch (error) {
      dirtySinceMs ??= since;
      logger.error({ err: error }, 'saving the ruleset snapshot failed; trying again shortly');
    }
  }

  return {
    changed() {
      const elapsedMs = clock.elapsedMs();
      dirtySinceMs ??= elapsedMs;
      arm(Math.max(0, Math.min(quietMs, dirtySinceMs + latestMs - elapsedMs)));
    },
    async flush() {
      // A save under way may have begun before the latest change.
      await saving;
      if (dirtySinceMs !== undefined) await save();
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}
