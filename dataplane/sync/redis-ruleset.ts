import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import {
  decodeChunk,
  decodeDelta,
  decodeManifest,
  parseVersion,
  type SnapshotManifest,
} from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { ColdRedirects } from './cold/cold-redirects.js';

/** Deltas read in one go. */
const DELTAS_PER_PAGE = 100;
/** How long the control plane is reminded of a snapshot that does not check out. */
const REFUSAL_EXPIRY_S = 60;

export interface DeltaPage {
  /** In order, each after `since`; what is between them and `since` may be missing. */
  readonly deltas: readonly RulesetDelta[];
  /** Whether there may be more. */
  readonly isFull: boolean;
  /** Up to where Redis holds everything; undefined when it holds nothing. */
  readonly head: RulesetVersion | undefined;
  /** The newest committed version, if a control plane has said so within the last seconds. */
  readonly confirmed: RulesetVersion | undefined;
}

/** Reads what the control plane has put into Redis. */
export interface RedisRuleset {
  /** Ends before a delta that does not check out; the control plane is told so. */
  readAfter(since: RulesetVersion): Promise<DeltaPage>;
  /**
   * @returns undefined when there is none
   * @throws when it does not check out, with the reason; the control plane is told so
   */
  readSnapshot(): Promise<RulesetSnapshot<ColdRedirects> | undefined>;
}

export function createRedisRuleset(redis: Redis, keys: RedisKeys): RedisRuleset {
  async function readManifest(): Promise<SnapshotManifest | undefined> {
    const text = await redis.hget(keys.snapshot, 'manifest');
    return text === null ? undefined : decodeManifest(text);
  }

  /** @returns the definitions, or what is wrong with them */
  async function readChunks({ id, count, sha256, chunks }: SnapshotManifest) {
    const whole = createHash('sha256');
    const redirects = new ColdRedirects();
    for (const [index, chunkSha256] of chunks.entries()) {
      // One at a time, so that visitors are answered in between.
      const bytes = await redis.getBuffer(`${keys.chunks}${id}:${index}`);
      if (bytes === null) return 'a chunk of it is missing';
      const definitions = attempt(() => decodeChunk(bytes, chunkSha256));
      if (typeof definitions === 'string') return definitions;
      whole.update(bytes);
      for (const redirect of definitions) redirects.set(redirect);
    }
    if (whole.digest('hex') !== sha256) return 'it does not match its checksum';
    return redirects.length === count ? redirects : `it has ${redirects.length} redirects, not ${count}`;
  }

  /** Asks the control plane for a new snapshot: this one does not help. */
  async function refuse(id: string): Promise<void> {
    await redis.set(keys.refusedSnapshot, id, 'EX', REFUSAL_EXPIRY_S);
  }

  return {
    async readAfter({ epoch, seq }) {
      // Sent together and answered in this order: the deltas are never older than the head that is told with them.
      const [confirmed, head, entries] = await Promise.all([
        redis.get(keys.heartbeat),
        redis.get(keys.head),
        redis.xrange(keys.log, `(${epoch}-${seq}`, '+', 'COUNT', DELTAS_PER_PAGE),
      ]);
      const deltas: RulesetDelta[] = [];
      for (const [, fields] of entries) {
        // A delta has up to a thousand changes: visitors are answered in between.
        if (deltas.length > 0) await nextTurn();
        const delta = attempt(() => decodeDelta(fields[3] ?? ''));
        if (typeof delta !== 'string') deltas.push(delta);
        else {
          // Only a snapshot that begins after it leads past it.
          const id = await redis.hget(keys.snapshot, 'id');
          if (id !== null) await refuse(id);
          break;
        }
      }
      const isFull = deltas.length === DELTAS_PER_PAGE;
      return { deltas, isFull, head: parseVersion(head ?? ''), confirmed: parseVersion(confirmed ?? '') };
    },

    async readSnapshot() {
      const manifest = await readManifest();
      if (manifest === undefined) return undefined;
      const { id, version } = manifest;
      const redirects = await readChunks(manifest);
      if (typeof redirects !== 'string') return { version, redirects };
      if ((await readManifest())?.id !== id) throw new Error('the snapshot was replaced while it was read');
      await refuse(id);
      throw new Error(`refused the snapshot in Redis: ${redirects}`);
    },
  };
}

/** What `decode` gives, or the reason why it does not. */
function attempt<T extends object>(decode: () => T): T | string {
  try {
    return decode();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
