import { setImmediate as nextTurn } from 'node:timers/promises';
import { leadsOnFrom, type RulesetChange, type RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { RedisRulesetStore } from './redis-ruleset-store.js';
import { ReadingOutdated, type RulesetReading } from './ruleset-reading.js';

/** Changes after which a part is full. */
const FULL_PART = 2_000;

/**
 * Reads the changes after a version from the log in Redis, which has their definitions. A part has the last change of each
 * host in it. The reading ends at the end of the log, which must reach the head of Redis: the log may have been lost.
 */
export function createLogReading(
  store: Pick<RedisRulesetStore, 'readDeltas' | 'readHead'>,
  since: RulesetVersion,
): Pick<RulesetReading, 'next'> {
  let reached = since;
  let left: readonly RulesetDelta[] | undefined = [];
  let head: RulesetVersion | undefined;

  /** @throws {ReadingOutdated} when the log does not lead on to the head, or is damaged */
  async function nextDelta(): Promise<RulesetDelta | undefined> {
    // Before the log, which other control planes may lengthen meanwhile.
    head ??= await store.readHead();
    if (left?.length === 0) left = await store.readDeltas(reached);
    const [delta, ...rest] = left ?? [];
    const leadsOn =
      delta === undefined
        ? head !== undefined && compareVersions(reached, head) >= 0
        : leadsOnFrom(reached, delta);
    if (left === undefined || !leadsOn) {
      throw new ReadingOutdated('the log in Redis does not lead on from the snapshot');
    }
    left = rest;
    reached = delta?.version ?? reached;
    return delta;
  }

  return {
    async next() {
      const changes = new Map<string, RulesetChange>();
      while (changes.size < FULL_PART) {
        // Decoding a thousand changes takes milliseconds.
        await nextTurn();
        const delta = await nextDelta();
        if (delta === undefined) return { changes: [...changes.values()], version: reached };
        for (const change of delta.changes) changes.set(change.host, change);
      }
      return { changes: [...changes.values()] };
    },
  };
}
