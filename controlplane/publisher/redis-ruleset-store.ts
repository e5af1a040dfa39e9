import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { encodeDefinitionLines } from '../../shared/ruleset/definition-lines.js';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import {
  encodeDelta,
  encodeManifest,
  parseIdentity,
  parseVersion,
  RULESET_FORMAT,
  type SnapshotManifest,
  sha256Of,
} from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  formatIdentity,
  formatVersion,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import { APPEND, SNAPSHOT_FAULT, SWITCH_SNAPSHOT } from './redis-scripts.js';

/** The log keeps so many deltas and so many bytes of them, whichever is less. */
const MOST_DELTAS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** A snapshot is made anew when so much has come since: well before the log could lose its beginning. */
const MOST_NEW_DELTAS = 2_000;
const MOST_NEW_BYTES = 4 * 1024 * 1024;
/** Whoever began to read a snapshot finishes it in this time. */
const OLD_CHUNKS_STAY_S = 60;
/** Chunks of a snapshot that never came to count, because its writer ended, go by themselves. */
const UNSWITCHED_CHUNKS_STAY_S = 600;
const HEARTBEAT_EXPIRY_MS = 5_000;

/** How a snapshot comes in: in place of everything, if the head is still the expected one, or beside the log. */
export type SnapshotPlace = { readonly replaces: RulesetVersion | undefined } | 'joins the log';

/** The ruleset as Redis holds it: a snapshot in chunks, a log of deltas that goes on from it, and the head. */
export interface RedisRulesetStore {
  /** Up to where Redis holds everything; undefined when it holds nothing. */
  readHead(): Promise<RulesetVersion | undefined>;
  /** Whether the log can keep a delta at all: one that is longer would push everything out of it and still not fit. */
  fits(delta: RulesetDelta): boolean;
  /** @returns false, with nothing changed, when the head is not where the delta begins */
  append(delta: RulesetDelta): Promise<boolean>;
  /** @returns false, with the old snapshot left in place, when something has come before it or Redis has lost a part */
  writeSnapshot(snapshot: RulesetSnapshot, place: SnapshotPlace): Promise<boolean>;
  /** Why the snapshot should be made anew, in words; undefined when it need not. */
  snapshotFault(): Promise<string | undefined>;
  /** Says that the database's head is `version` as of now. */
  beat(version: RulesetVersion): Promise<void>;
}

export function createRedisRulesetStore(redis: Redis, keys: RedisKeys): RedisRulesetStore {
  /** In the order in which the scripts about snapshots take them. */
  const allKeys = [keys.head, keys.log, keys.logSize, keys.snapshot, keys.refusedSnapshot, keys.identity];

  async function writeChunks({ version, redirects }: RulesetSnapshot): Promise<SnapshotManifest> {
    const id = `${formatVersion(version)}-${randomUUID()}`;
    const whole = createHash('sha256');
    const chunks: string[] = [];
    for (const chunk of encodeDefinitionLines(redirects)) {
      whole.update(chunk);
      await redis.set(`${keys.chunks}${id}:${chunks.length}`, chunk, 'EX', UNSWITCHED_CHUNKS_STAY_S);
      chunks.push(sha256Of(chunk));
    }
    return {
      format: RULESET_FORMAT,
      id,
      version,
      count: redirects.length,
      sha256: whole.digest('hex'),
      chunks,
    };
  }

  return {
    async readHead() {
      const [text, identityText] = await redis.mget(keys.head, keys.identity);
      const head = parseVersion(text ?? '');
      const identity = parseIdentity(identityText ?? '');
      if (head === undefined || identity === undefined) return head;
      return compareVersions(head, identity) === 0 ? identity : head;
    },

    fits({ changes }) {
      let bytes = 0;
      // Not all at once: what does not fit may be longer than any text can be.
      return changes.every((change) => {
        bytes += Buffer.byteLength(JSON.stringify(change));
        return bytes <= MOST_BYTES;
      });
    },

    async append(delta) {
      const { epoch, seq } = delta.version;
      const { previousSeq, previousLineage } = delta;
      const previous = { epoch, seq: previousSeq, ...(previousLineage && { lineage: previousLineage }) };
      const outcome = await redis.eval(
        APPEND,
        4,
        keys.head,
        keys.log,
        keys.logSize,
        keys.identity,
        formatVersion(previous),
        formatVersion(delta.version),
        `${epoch}-${seq}`,
        previousSeq,
        encodeDelta(delta),
        keys.hints,
        MOST_DELTAS,
        MOST_BYTES,
        formatIdentity(previous),
        formatIdentity(delta.version),
      );
      return outcome === 1;
    },

    async writeSnapshot(snapshot, place) {
      const manifest = await writeChunks(snapshot);
      const expected = place === 'joins the log' ? undefined : place.replaces;
      const outcome = await redis.eval(
        SWITCH_SNAPSHOT,
        allKeys.length,
        ...allKeys,
        place === 'joins the log' ? 'join' : 'replace',
        expected === undefined ? '' : formatVersion(expected),
        formatVersion(manifest.version),
        manifest.version.epoch,
        manifest.version.seq,
        manifest.id,
        manifest.chunks.length,
        encodeManifest(manifest),
        keys.chunks,
        OLD_CHUNKS_STAY_S,
        keys.hints,
        formatIdentity(manifest.version),
      );
      return outcome === 1;
    },

    async snapshotFault() {
      const fault = await redis.eval(
        SNAPSHOT_FAULT,
        allKeys.length,
        ...allKeys,
        MOST_NEW_DELTAS,
        MOST_NEW_BYTES,
      );
      return typeof fault === 'string' && fault !== '' ? fault : undefined;
    },

    async beat(version) {
      const text = formatVersion(version);
      await Promise.all([
        redis.set(keys.heartbeat, text, 'PX', HEARTBEAT_EXPIRY_MS),
        redis.publish(keys.hints, text),
      ]);
    },
  };
}
