import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import { decodeChunk, decodeDelta, decodeManifest } from '../../shared/ruleset/ruleset-codec.js';

const DELTAS_PER_PAGE = 100;

/**
 * Counts the hosts of the ruleset in Redis: those of its snapshot, brought forward by its log. Reads all of it, so it is
 * for rare decisions only.
 *
 * @throws when Redis does not answer, or what it holds cannot be read
 */
export async function countHostsInRedis(redis: Redis, keys: RedisKeys): Promise<number> {
  const changed = await readChanged(redis, keys);
  const manifestText = await redis.hget(keys.snapshot, 'manifest');
  let hosts = 0;
  if (manifestText !== null) {
    const { id, chunks, count } = decodeManifest(manifestText);
    hosts = count;
    for (const [index, sha256] of chunks.entries()) {
      if (changed.size === 0) break;
      const bytes = await redis.getBuffer(`${keys.chunks}${id}:${index}`);
      if (bytes === null) throw new Error('a chunk of the snapshot in Redis is missing');
      // What the log says of a host counts once, below.
      for (const { host } of decodeChunk(bytes, sha256)) if (changed.has(host)) hosts -= 1;
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
      for (const { host, redirect } of decodeDelta(fields[3] ?? '').changes)
        changed.set(host, redirect !== null);
    }
    if (entries.length < DELTAS_PER_PAGE) return changed;
  }
}
