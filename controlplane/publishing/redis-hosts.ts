import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { isPageKey } from '../../shared/paths/published-paths.js';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import { changesIn, openChunk } from '../../shared/ruleset/ruleset-chunk.js';
import {
  decodeDelta,
  decodeManifest,
  hasCompressedChunks,
  type SnapshotManifest,
} from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';

const DELTAS_PER_PAGE = 100;

/** Redis holds damaged data, or data of another release. */
class Unreadable extends Error {}

/**
 * Counts the hosts of the ruleset in Redis: its snapshot with its log applied. Use it only for rare decisions, because
 * it reads the whole ruleset. An unreadable ruleset counts as empty, because data planes cannot read it either.
 *
 * @throws when Redis does not answer
 */
export async function countHostsInRedis(redis: Redis, keys: RedisKeys): Promise<number> {
  try {
    return await count(redis, keys);
  } catch (error) {
    if (error instanceof Unreadable) return 0;
    throw error;
  }
}

async function count(redis: Redis, keys: RedisKeys): Promise<number> {
  /** Whether something is served at a host, by its last change. */
  const changed = await readChanged(redis, keys);
  const text = await redis.hget(keys.snapshot, 'manifest');
  const manifest = text === null ? undefined : readable(() => decodeManifest(text));
  let hosts = 0;
  let lines = 0;
  for (let index = (manifest?.chunks.length ?? 0) - 1; manifest !== undefined && index >= 0; index -= 1) {
    const changes = await readChunk(redis, keys, manifest, index);
    const isAppended = lines < manifest.appended;
    lines += changes.length;
    for (const { host, redirect } of changes) {
      if (changed.has(host) || isPageKey(host)) continue;
      // The chunks before the appended ones contain each host once.
      if (isAppended) changed.set(host, redirect !== null);
      else hosts += 1;
    }
  }
  for (const isServed of changed.values()) if (isServed) hosts += 1;
  return hosts;
}

/** Returns the changes in a chunk, without those that no data plane would serve. */
async function readChunk(redis: Redis, keys: RedisKeys, manifest: SnapshotManifest, index: number) {
  const bytes = await redis.getBuffer(`${keys.chunks}${manifest.id}:${index}`);
  if (bytes === null) throw new Unreadable('a chunk of the snapshot is missing');
  const sha256 = manifest.chunks[index] ?? '';
  const lines = await openChunk(bytes, sha256, hasCompressedChunks(manifest)).catch((cause: unknown) => {
    throw new Unreadable('a chunk of the snapshot cannot be read', { cause });
  });
  return readable(() =>
    [...changesIn(lines)].filter((change): change is RulesetChange => !('refusal' in change)),
  );
}

/** Returns the hosts in the log, and whether the last change of each serves something. */
async function readChanged(redis: Redis, keys: RedisKeys): Promise<Map<string, boolean>> {
  const changed = new Map<string, boolean>();
  for (let after = '-'; ; ) {
    const entries = await redis.xrange(keys.log, after, '+', 'COUNT', DELTAS_PER_PAGE);
    for (const [entryId, fields] of entries) {
      await nextTurn();
      after = `(${entryId}`;
      const { changes } = readable(() => decodeDelta(fields[3] ?? ''));
      for (const { host, redirect } of changes) {
        if (!isPageKey(host)) changed.set(host, redirect !== null);
      }
    }
    if (entries.length < DELTAS_PER_PAGE) return changed;
  }
}

/** @throws {Unreadable} when `decode` throws */
function readable<Result>(decode: () => Result): Result {
  try {
    return decode();
  } catch (cause) {
    throw new Unreadable('the ruleset in Redis cannot be read', { cause });
  }
}
