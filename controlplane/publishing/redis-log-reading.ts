import { setImmediate as nextTurn } from 'node:timers/promises';
import { leadsOnFrom, type RulesetChange, type RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { RedisRulesetStore } from './redis-ruleset-store.js';
import { ReadingOutdated, type RulesetReading } from './ruleset-reading.js';

/** Changes after which a part is full. */
const FULL_PART = 2_000;

/**
 * Reads the changes after a version from the log in Redis, which has their definitions. A part has the last change of each
 * host in it. The reading ends at the end of the log.
 */
export function createLogReading(
  store: Pick<RedisRulesetStore, 'readDeltas'>,
  since: RulesetVersion,
): Pick<RulesetReading, 'next'> {
  let reached = since;
  let left: readonly RulesetDelta[] | undefined = [];

  /** @throws {ReadingOutdated} when the log does not lead on, or is damaged */
  async function nextDelta(): Promise<RulesetDelta | undefined> {
    if (left?.length === 0) left = await store.readDeltas(reached);
    const [delta, ...rest] = left ?? [];
    if (left === undefined || (delta !== undefined && !leadsOnFrom(reached, delta))) {
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
