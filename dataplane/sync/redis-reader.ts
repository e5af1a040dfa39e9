import { setImmediate as nextTurn } from 'node:timers/promises';
import { leadsOnFrom, type RulesetDelta, type RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  formatVersion,
  isOtherHistory,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import type { Clock } from './clock.js';
import type { ColdRedirects } from './cold/cold-redirects.js';
import type { RulesetDelivery } from './redis-delivery.js';
import type { RedisRuleset } from './redis-ruleset.js';

/** Redis works, but no control plane has written a ruleset yet. */
class NothingThere extends Error {
  override message = 'Redis holds no ruleset';
}

const FIRST_SNAPSHOT_PAUSE_MS = 1_000;
const LONGEST_SNAPSHOT_PAUSE_MS = 15_000;

/** Delivers the state of Redis: by deltas if the log has them, otherwise by a snapshot. */
export interface RedisReader {
  /**
   * Reads and delivers new changes. Callers must wait for the end of the previous call.
   *
   * @returns the newest committed version, if a control plane has reported it within the last seconds
   * @throws if Redis does not answer, or lacks required data
   */
  read(): Promise<RulesetVersion | undefined>;
  /** Time (`elapsedMs` of the clock) since which a needed snapshot cannot be read. */
  readonly snapshotBadSinceMs: number | undefined;
  /** Allows snapshots again immediately, because the problem that delayed them may be solved. */
  reconnected(): void;
}

export interface RedisReaderDeps {
  readonly ruleset: RedisRuleset;
  readonly delivery: RulesetDelivery;
  readonly clock: Clock;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
}

export function createRedisReader({ ruleset, delivery, clock, random }: RedisReaderDeps): RedisReader {
  let failures = 0;
  let badSinceMs: number | undefined;
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  /** Delivers the deltas of the log. Requests a snapshot if they are not enough. */
  async function readDeltas(since: RulesetVersion): Promise<RulesetVersion | undefined> {
    const { deltas, isFull, head, confirmed } = await ruleset.readAfter(since);
    if (head === undefined) throw new NothingThere();
    if (!(await deliverEach(deltas))) delivery.wantSnapshot();
    const { delivered = since } = delivery;
    if (isFull && !delivery.wantsSnapshot) return readDeltas(delivered);
    if (compareVersions(delivered, head) < 0 || isOtherHistory(delivered, head)) delivery.wantSnapshot();
    return confirmed;
  }

  /** @returns false when one of them does not fit */
  async function deliverEach(deltas: readonly RulesetDelta[]): Promise<boolean> {
    for (const delta of deltas) {
      // Each delta has up to a thousand changes, so visitors are answered in between.
      await nextTurn();
      if (!delivery.deliverDelta(delta)) return false;
    }
    return true;
  }

  async function readSnapshot(): Promise<RulesetVersion | undefined> {
    const base = await ruleset.readSnapshot();
    if (base === undefined) throw new NothingThere();
    const { snapshot, confirmed } = await withDeltas(ruleset, base);
    if (!delivery.deliverSnapshot(snapshot)) {
      throw new Error(
        `the ruleset in Redis, ${formatVersion(snapshot.version)}, is older than what was delivered`,
      );
    }
    return confirmed;
  }

  function pause(): void {
    const pauseMs = Math.min(
      LONGEST_SNAPSHOT_PAUSE_MS,
      FIRST_SNAPSHOT_PAUSE_MS * 2 ** Math.max(0, failures - 1),
    );
    notBeforeMs = clock.elapsedMs() + pauseMs * (0.5 + random());
  }

  /** Snapshots are large. Neither a bad one nor a log that does not fit to it may cause reads in a tight loop. */
  async function readSnapshotInTime(): Promise<RulesetVersion | undefined> {
    if (clock.elapsedMs() < notBeforeMs) return undefined;
    try {
      const confirmed = await readSnapshot();
      failures = 0;
      badSinceMs = undefined;
      pause();
      return confirmed;
    } catch (error) {
      // The look-up is cheap, and the snapshot is needed as soon as it exists.
      if (error instanceof NothingThere) {
        badSinceMs = undefined;
        throw error;
      }
      failures += 1;
      badSinceMs ??= clock.elapsedMs();
      pause();
      throw error;
    }
  }

  return {
    async read() {
      const { delivered, wantsSnapshot } = delivery;
      if (delivered !== undefined && !wantsSnapshot) {
        const confirmed = await readDeltas(delivered);
        if (!delivery.wantsSnapshot) {
          failures = 0;
          badSinceMs = undefined;
          return confirmed;
        }
      }
      return readSnapshotInTime();
    },
    get snapshotBadSinceMs() {
      return badSinceMs;
    },
    reconnected() {
      notBeforeMs = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Returns a snapshot with the deltas that were written since. */
async function withDeltas(ruleset: RedisRuleset, base: RulesetSnapshot<ColdRedirects>) {
  const { redirects } = base;
  let { version } = base;
  for (;;) {
    const { deltas, isFull, confirmed } = await ruleset.readAfter(version);
    let isJoined = true;
    for (const delta of deltas) {
      isJoined &&= leadsOnFrom(version, delta);
      if (!isJoined) break;
      await nextTurn();
      redirects.apply(delta.changes);
      version = delta.version;
    }
    if (isFull && isJoined) continue;
    return { snapshot: { ...base, version }, confirmed };
  }
}
