import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { openTestDatabase, type TestDatabase } from '../database/test-database.fixture.js';
import { connectRedis } from './redis-connection.js';
import { createRedisPublication } from './redis-publication.js';
import { createRulesetOutbox } from './ruleset-outbox.js';
import { createRulesetRepository } from './ruleset-repository.js';

const logger = pino({ level: 'silent' });
let server: RedisServer;
let own: TestDatabase;

beforeAll(async () => {
  [server, own] = await Promise.all([startRedisServer(), openTestDatabase()]);
});
afterAll(async () => {
  await own.close();
  await server.remove();
});

/** A control plane as far as Redis goes. @param hold awaited before a snapshot is read */
function startPublication(hold: () => Promise<void>) {
  const keyPrefix = `test-${randomUUID()}`;
  const repository = createRulesetRepository(own.database);
  const readSnapshot = () => hold().then(repository.readSnapshot);
  const redis = connectRedis(server.url, logger);
  const outbox = createRulesetOutbox(own.database);
  const publication = createRedisPublication({
    redis,
    repository: { ...repository, readSnapshot },
    outbox,
    logger,
    keyPrefix,
  });
  publication.start();
  const keys = redisKeys(keyPrefix);
  return {
    keys,
    redis,
    stats: publication.stats,
    commit: () => outbox.commit(async (_tx, record) => record('changed.example')),
    async caughtUp() {
      const head = formatVersion(await repository.readHead());
      await vi.waitFor(async () => expect(await redis.get(keys.head)).toBe(head), { timeout: 10_000 });
    },
    async stop() {
      await publication.stop();
      redis.disconnect();
    },
  };
}

it('changes do not wait for a snapshot that is made anew', async () => {
  let release = () => {};
  const hold = vi.fn(async () => {});
  const { keys, redis, stats, commit, caughtUp, stop } = startPublication(hold);
  await caughtUp();
  hold.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  );
  await redis.set(keys.refusedSnapshot, (await redis.hget(keys.snapshot, 'id')) ?? '');
  await vi.waitFor(() => expect(hold).toHaveBeenCalledTimes(2), { timeout: 10_000 });
  await commit();
  await caughtUp();
  expect(stats().snapshotsWritten).toBe(1);
  release();
  await vi.waitFor(() => expect(stats().snapshotsWritten).toBe(2), { timeout: 10_000 });
  await stop();
});

it('a change is published though Redis has lost everything since the one before', async () => {
  const { keys, redis, commit, caughtUp, stop } = startPublication(async () => {});
  await caughtUp();
  await commit();
  await caughtUp();
  await redis.del(keys.head, keys.log, keys.logSize, keys.snapshot);
  await commit();
  await caughtUp();
  expect(await redis.hget(keys.snapshot, 'id')).not.toBeNull();
  await stop();
});
