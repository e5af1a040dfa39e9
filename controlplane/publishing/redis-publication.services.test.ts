import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { createPublicationGuard } from './publication-guard.js';
import { createRedisPublication } from './redis-publication.js';
import { connectRedis } from './redis-publishing.js';
import { createRulesetBuilder } from './ruleset-builder.js';
import { createRulesetHistory } from './ruleset-history.js';
import { createRulesetOutbox } from './ruleset-outbox.js';
import { createRulesetRepository, type RulesetRepository } from './ruleset-repository.js';

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

/**
 * Starts the part of a control plane that publishes to Redis.
 *
 * @param hold awaited before a snapshot is built
 * @param destinationLength of the redirect that each commit changes; without it none is served there
 */
function startPublication(hold: () => Promise<void>, destinationLength?: number) {
  const keyPrefix = `test-${randomUUID()}`;
  const repository = createRulesetRepository(own.database);
  const redirect = destinationLength === undefined ? null : redirectOfLength(destinationLength);
  const readDelta: RulesetRepository['readDelta'] = async (since, limit) => {
    const delta = await repository.readDelta(since, limit);
    return delta && { ...delta, changes: delta.changes.map(({ host }) => ({ host, redirect })) };
  };
  const published = { ...repository, readDelta };
  const builder = createRulesetBuilder({ repository: published, logger });
  const redis = connectRedis(server.url, logger);
  const outbox = createRulesetOutbox(own.database);
  const publication = createRedisPublication({
    redis,
    repository: published,
    builder: { ...builder, build: (take) => hold().then(() => builder.build(take)) },
    guard: createPublicationGuard({
      history: createRulesetHistory(own.database),
      acceptsAnyLoss: false,
      logger,
    }),
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
    repository,
    commit: () => outbox.commit(async (_tx, record) => record('changed.example')),
    commitAll: (hosts: readonly string[]) => outbox.commit(async (_tx, record) => hosts.forEach(record)),
    async caughtUp() {
      const head = formatVersion(await repository.readHead());
      await vi.waitFor(async () => expect(await redis.get(keys.head)).toBe(head), { timeout: 60_000 });
    },
    async stop() {
      await publication.stop();
      redis.disconnect();
    },
  };
}

function redirectOfLength(destinationLength: number): RedirectDefinition {
  return {
    id: 'r1',
    host: 'changed.example',
    destination: 'https://new.example/'.padEnd(destinationLength, 'x'),
    redirectType: 'permanent',
    pathForwarding: false,
    queryForwarding: false,
    samplingRate: 1,
  };
}

it.each([
  { name: 'a delta', bytes: 8 * 2 ** 20, deltas: 1, snapshots: 1 },
  { name: 'a snapshot', bytes: 17 * 2 ** 20, deltas: 0, snapshots: 2 },
])('a change of $bytes bytes is published as $name', async ({ bytes, deltas, snapshots }) => {
  const { stats, commit, caughtUp, stop } = startPublication(async () => {}, bytes);
  await caughtUp();
  await commit();
  await caughtUp();
  const published = { deltasAppended: deltas, snapshotsWritten: snapshots };
  await vi.waitFor(() => expect(stats()).toMatchObject(published), { timeout: 60_000 });
  await stop();
});

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
  await vi.waitFor(() => expect(hold).toHaveBeenCalledTimes(2), { timeout: 60_000 });
  await commit();
  await caughtUp();
  expect(stats().snapshotsWritten).toBe(1);
  release();
  await vi.waitFor(() => expect(stats().snapshotsWritten).toBe(2), { timeout: 60_000 });
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

it('a snapshot to which many new hosts were appended is kept, and one whose lines are outdated is replaced', async () => {
  await own.database.query(`INSERT INTO users (id, email) VALUES ('many', 'many@example.com')`);
  const { keys, redis, stats, commitAll, repository, caughtUp, stop } = startPublication(async () => {});
  await caughtUp();
  const hosts = Array.from({ length: 2_500 }, (_, at) => `many-${at}.example`);
  await own.database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
       query_forwarding, sampling_rate, verification_value, verified_at)
     SELECT host, 'many', host, 'https://new.example', 'new.example', 'permanent', false, false, 1, '', now()
     FROM unnest($1::text[]) AS given (host)`,
    [hosts],
  );
  // As imports do: kept plans are those of an empty table until then.
  await own.database.query('ANALYZE redirects');
  const idNow = () => redis.hget(keys.snapshot, 'id');
  const countsNow = async () => JSON.parse((await redis.hget(keys.snapshot, 'manifest')) ?? '{}');
  /** Makes the log long enough for a renewal of the snapshot. */
  const renew = async () => {
    const { snapshotsWritten } = stats();
    await commitAll(hosts);
    await caughtUp();
    await redis.hset(keys.logSize, 'newDeltas', '2001');
    await vi.waitFor(() => expect(stats().snapshotsWritten).toBe(snapshotsWritten + 1), { timeout: 60_000 });
  };
  const first = await idNow();

  await renew();
  expect(await idNow()).toBe(first);
  expect(await countsNow()).toMatchObject({ count: 2_500, appended: 2_500 });
  expect(await repository.countLines()).toBe(2_500);

  await renew();
  expect(await idNow()).not.toBe(first);
  await stop();
});
