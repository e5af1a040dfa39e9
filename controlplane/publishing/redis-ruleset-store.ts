import type { Redis } from 'ioredis';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import type { EncodedChunk } from '../../shared/ruleset/ruleset-chunk.js';
import {
  decodeManifest,
  encodeDelta,
  encodeManifest,
  hasCompressedChunks,
  parseIdentity,
  parseVersion,
  type SnapshotManifest,
} from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  formatIdentity,
  formatVersion,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import { APPEND, LENGTHEN_SNAPSHOT, SNAPSHOT_FAULT, SWITCH_SNAPSHOT } from './redis-scripts.js';

/** The log keeps so many deltas and so many bytes of them, whichever is less. */
const MOST_DELTAS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** A snapshot is made anew when so much has come since: well before the log could lose its beginning. */
const MOST_NEW_DELTAS = 2_000;
const MOST_NEW_BYTES = 4 * 1024 * 1024;
/** Maximum time of reading a snapshot. Replaced chunks live that long. */
const OLD_CHUNKS_STAY_S = 60;
/** Chunks of a snapshot that never came to count, because its writer ended, go by themselves. */
const UNSWITCHED_CHUNKS_STAY_S = 1_800;
/** Expiry of the heartbeat and of the sign that a ruleset is being written. */
const SIGN_OF_LIFE_EXPIRY_MS = 5_000;

/** Way to store a snapshot: it replaces everything if the head is still the expected one, or it joins the log. */
export type SnapshotPlace = { readonly replaces: RulesetVersion | undefined } | 'joins the log';

/** The ruleset as Redis holds it: a snapshot in chunks, a log of deltas that goes on from it, and the head. */
export interface RedisRulesetStore {
  /** Up to where Redis holds everything; undefined when it holds nothing. */
  readHead(): Promise<RulesetVersion | undefined>;
  /** Whether the log can keep a delta at all: one that is longer would push everything out of it and still not fit. */
  fits(delta: RulesetDelta): boolean;
  /** @returns false, with nothing changed, when the head is not where the delta begins */
  append(delta: RulesetDelta): Promise<boolean>;
  /** Writes a chunk of a snapshot that does not count yet. */
  writeChunk(id: string, chunk: EncodedChunk, index: number): Promise<void>;
  /**
   * Makes the snapshot count whose chunks were written.
   *
   * @returns false, with the old snapshot left in place, when something has come before it or Redis has lost a part
   */
  switchTo(manifest: SnapshotManifest, place: SnapshotPlace): Promise<boolean>;
  /** Parts of the current snapshot; undefined when no more can be added. */
  readManifest(): Promise<SnapshotManifest | undefined>;
  /**
   * Makes the snapshot that counts longer by `chunks`.
   *
   * @param manifest of the snapshot with these chunks
   * @returns false, with nothing changed, when it is not the one that `manifest` makes longer
   */
  lengthen(manifest: SnapshotManifest, chunks: readonly EncodedChunk[]): Promise<boolean>;
  /** Returns why the snapshot must be rebuilt; undefined if it need not. */
  snapshotFault(): Promise<string | undefined>;
  /** Says that the database's head is `version` as of now. */
  beat(version: RulesetVersion): Promise<void>;
  /** Says that a ruleset is being written as of now. @param progress in words */
  sayBuilding(progress: string): Promise<void>;
  /** Says that none is being written any more. */
  sayBuilt(): Promise<void>;
}

export function createRedisRulesetStore(redis: Redis, keys: RedisKeys): RedisRulesetStore {
  /** Keys in the order of the snapshot scripts. */
  const allKeys = [keys.head, keys.log, keys.logSize, keys.snapshot, keys.refusedSnapshot, keys.identity];

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

    async writeChunk(id, { bytes }, index) {
      await redis.set(`${keys.chunks}${id}:${index}`, bytes, 'EX', UNSWITCHED_CHUNKS_STAY_S);
    },

    async switchTo(manifest, place) {
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

    async readManifest() {
      const [text, refused] = await Promise.all([
        redis.hget(keys.snapshot, 'manifest'),
        redis.get(keys.refusedSnapshot),
      ]);
      const manifest = text === null ? undefined : readable(text);
      return manifest !== undefined && manifest.id !== refused ? manifest : undefined;
    },

    async lengthen(manifest, chunks) {
      const outcome = await redis.eval(
        LENGTHEN_SNAPSHOT,
        2,
        keys.snapshot,
        keys.logSize,
        manifest.id,
        manifest.chunks.length - chunks.length,
        manifest.version.seq,
        encodeManifest(manifest),
        keys.chunks,
        ...chunks.map(({ bytes }) => bytes),
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
        redis.set(keys.heartbeat, text, 'PX', SIGN_OF_LIFE_EXPIRY_MS),
        redis.publish(keys.hints, text),
      ]);
    },

    async sayBuilding(progress) {
      await redis.set(keys.building, progress, 'PX', SIGN_OF_LIFE_EXPIRY_MS);
    },

    async sayBuilt() {
      await redis.del(keys.building);
    },
  };
}

/** The manifest in `text`, if its chunks can be followed by others. */
function readable(text: string): SnapshotManifest | undefined {
  try {
    const manifest = decodeManifest(text);
    return hasCompressedChunks(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}
