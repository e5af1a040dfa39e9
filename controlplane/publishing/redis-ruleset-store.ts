import type { Redis } from 'ioredis';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import type { EncodedChunk } from '../../shared/ruleset/ruleset-chunk.js';
import {
  decodeDelta,
  decodeManifest,
  encodeDelta,
  encodeManifest,
  formatUnfinished,
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

/** Maximum number and size of the deltas in the log; the first limit that is reached counts. */
const MOST_DELTAS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Deltas that are read together. During an import they have some hundred changes each. */
const DELTAS_PER_READ = 10;
/** Growth of the log after which a snapshot is made: well before the log loses its beginning. */
const MOST_NEW_DELTAS = 2_000;
const MOST_NEW_BYTES = 4 * 1024 * 1024;
/** Maximum time of reading a snapshot. Replaced chunks are kept this long. */
const OLD_CHUNKS_STAY_S = 60;
/** Expiry of chunks whose writer ended before the snapshot was complete. */
const UNSWITCHED_CHUNKS_STAY_S = 1_800;
/** Expiry of the heartbeat and of the sign that a ruleset is being written. */
const SIGN_OF_LIFE_EXPIRY_MS = 5_000;

/** Way to store a snapshot: it replaces everything if the head is still the expected one, or it joins the log. */
export type SnapshotPlace = { readonly replaces: RulesetVersion | undefined } | 'joins the log';

/** The ruleset in Redis: a snapshot in chunks, a log of later deltas, and the head. */
export interface RedisRulesetStore {
  /** Returns the version up to which Redis has all changes; undefined when it is empty. */
  readHead(): Promise<RulesetVersion | undefined>;
  /** Returns whether the log can keep a delta. A longer one would push everything out of it and still not fit. */
  fits(delta: RulesetDelta): boolean;
  /** @returns false, with nothing changed, when the head is not the beginning of the delta */
  append(delta: RulesetDelta): Promise<boolean>;
  /**
   * Returns the next deltas of the log that end after a version, oldest first; none at its end. Undefined when one of them
   * is damaged.
   */
  readDeltas(after: RulesetVersion): Promise<RulesetDelta[] | undefined>;
  /**
   * Writes a chunk of a snapshot that is not current yet. Announces the snapshot, so data planes can already read it.
   */
  writeChunk(id: string, chunk: EncodedChunk, index: number): Promise<void>;
  /**
   * Makes a snapshot current whose chunks were written.
   *
   * @returns false, with the old snapshot left in place, when another write was first or Redis has lost a part
   */
  switchTo(manifest: SnapshotManifest, place: SnapshotPlace): Promise<boolean>;
  /** Returns the parts of the current snapshot; undefined when no more can be added. */
  readManifest(): Promise<SnapshotManifest | undefined>;
  /**
   * Appends `chunks` to the current snapshot.
   *
   * @param manifest of the snapshot with these chunks
   * @returns false, with nothing changed, when the current snapshot is not the one that `manifest` continues
   */
  lengthen(manifest: SnapshotManifest, chunks: readonly EncodedChunk[]): Promise<boolean>;
  /** Returns why the snapshot must be rebuilt; undefined if it need not. */
  snapshotFault(): Promise<string | undefined>;
  /** Writes that the database's head is `version` now. */
  beat(version: RulesetVersion): Promise<void>;
  /**
   * Writes that a ruleset is being written now.
   *
   * @param progress in words
   */
  sayBuilding(progress: string): Promise<void>;
  /** Removes the sign that a ruleset is being written. */
  sayBuilt(): Promise<void>;
}

export function createRedisRulesetStore(redis: Redis, keys: RedisKeys): RedisRulesetStore {
  /** Keys in the order of the snapshot scripts. */
  const allKeys = [
    keys.head,
    keys.log,
    keys.logSize,
    keys.snapshot,
    keys.refusedSnapshot,
    keys.identity,
    keys.unfinishedSnapshot,
  ];

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
      // One by one, because all together may be longer than any string can be.
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

    async readDeltas({ epoch, seq }) {
      const entries = await redis.xrange(keys.log, `(${epoch}-${seq}`, '+', 'COUNT', DELTAS_PER_READ);
      return readable(() => entries.map(([, fields]) => decodeDelta(fields[3] ?? '')));
    },

    async writeChunk(id, { bytes }, index) {
      await Promise.all([
        redis.set(`${keys.chunks}${id}:${index}`, bytes, 'EX', UNSWITCHED_CHUNKS_STAY_S),
        redis.set(keys.unfinishedSnapshot, formatUnfinished(id), 'EX', UNSWITCHED_CHUNKS_STAY_S),
      ]);
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
      const manifest = text === null ? undefined : readable(() => decodeManifest(text));
      // Chunks can be appended to this one.
      const isCurrent = manifest !== undefined && hasCompressedChunks(manifest) && manifest.id !== refused;
      return isCurrent ? manifest : undefined;
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

/** Returns the result of `decode`; undefined where it throws. */
function readable<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
