import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import { decodeChunk, decodeDelta, decodeManifest } from '../../shared/ruleset/ruleset-codec.js';

const DELTAS_PER_PAGE = 100;

/** What Redis holds is damaged, or of another release. */
class Unreadable extends Error {}

/**
 * Counts the hosts of the ruleset in Redis: those of its snapshot, brought forward by its log. Reads all of it, so it is
 * for rare decisions only. A ruleset that cannot be read counts as empty: data planes cannot take it either.
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
  const changed = await readChanged(redis, keys);
  const manifestText = await redis.hget(keys.snapshot, 'manifest');
  let hosts = 0;
  if (manifestText !== null) {
    const { id, chunks, count } = readable(() => decodeManifest(manifestText));
    hosts = count;
    for (const [index, sha256] of chunks.entries()) {
      if (changed.size === 0) break;
      const bytes = await redis.getBuffer(`${keys.chunks}${id}:${index}`);
      if (bytes === null) throw new Unreadable('a chunk of the snapshot is missing');
      // What the log says of a host counts once, below.
      const definitions = readable(() => decodeChunk(bytes, sha256));
      for (const { host } of definitions) if (changed.has(host)) hosts -= 1;
    }
  }
  for (const isServed of changed.values()) if (isServed) hosts += 1;
  return hosts;
}

/** The hosts in the log, and whether the last change of each serves something. */
async function readChanged(redis: Redis, keys: RedisKeys): Promise<Map<string, boolean>> {
  const changed = new Map<string, boolean>();
  for (let after = '-'; ; ) {
    const entries = await redis.xrange(keys.log, after, '+', 'COUNT', DELTAS_PER_PAGE);
    for (const [entryId, fields] of entries) {
      await nextTurn();
      after = `(${entryId}`;
      const { changes } = readable(() => decodeDelta(fields[3] ?? ''));
      for (const { host, redirect } of changes) changed.set(host, redirect !== null);
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
