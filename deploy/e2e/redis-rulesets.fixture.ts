import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { createPublicationGuard } from '../../controlplane/publishing/publication-guard.js';
import { createRedisPublication } from '../../controlplane/publishing/redis-publication.js';
import { connectRedis } from '../../controlplane/publishing/redis-publishing.js';
import { createRulesetBuilder } from '../../controlplane/publishing/ruleset-builder.js';
import { createRulesetHistory } from '../../controlplane/publishing/ruleset-history.js';
import { createRulesetOutbox } from '../../controlplane/publishing/ruleset-outbox.js';
import { readSnapshot } from '../../controlplane/publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../controlplane/publishing/ruleset-repository.js';
import { createRulesetDocuments } from '../../controlplane/publishing/ruleset-routes.js';
import { newId } from '../../controlplane/storage/postgres/new-id.js';
import { openTestDatabase } from '../../controlplane/storage/postgres/test-database.fixture.js';
import { systemClock } from '../../dataplane/sync/clock.js';
import { type CapturedRedirects, ColdRedirects } from '../../dataplane/sync/cold/cold-redirects.js';
import { createRedisFeed } from '../../dataplane/sync/redis-feed.js';
import { createTestTable } from '../../dataplane/sync/ruleset-table.fixture.js';
import type { SavedSnapshot } from '../../dataplane/sync/snapshot-file.js';
import { createSynchronizer } from '../../dataplane/sync/synchronizer.js';
import { startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import type { RulesetSnapshot, RulesetSource } from '../../shared/ruleset/ruleset-feed.js';
import { formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';

const logger = pino({ level: 'silent' });

export interface DataplaneOptions {
  /** Default: that of the server's ordinary user. */
  readonly url?: string;
  readonly fallback?: RulesetSource;
  /** The ruleset that an earlier run saved. */
  readonly saved?: RulesetSnapshot<CapturedRedirects>;
  /** Called when the served ruleset has changed. */
  readonly onChange?: () => void;
}

/** A database, a Redis server, and as many control planes and data planes between them as a test starts. */
export async function startRedisRulesets() {
  const [server, own] = await Promise.all([startRedisServer(), openTestDatabase()]);
  const { database } = own;
  const repository = createRulesetRepository(database);
  const userId = newId();
  await database.query('INSERT INTO users (id) VALUES ($1)', [userId]);
  const redis = new Redis(server.url, { retryStrategy: () => 50 });
  redis.on('error', () => {});
  const running: (() => unknown)[] = [];

  /**
   * A control plane that only publishes rulesets. `commit` makes a verified redirect.
   *
   * @param readPage replaces the repository's `readPage` when rulesets are built
   */
  function startControlplane(keyPrefix: string, readPage = repository.readPage) {
    const connection = connectRedis(server.url, logger);
    const builder = createRulesetBuilder({ repository: { ...repository, readPage }, logger });
    const outbox = createRulesetOutbox(database);
    const history = createRulesetHistory(database);
    const guard = createPublicationGuard({ history, acceptsAnyLoss: false, logger });
    const publication = createRedisPublication({
      redis: connection,
      repository,
      builder,
      guard,
      outbox,
      logger,
      keyPrefix,
    });
    publication.start();
    let isRunning = true;
    async function stop() {
      if (!isRunning) return;
      isRunning = false;
      builder.stop();
      await publication.stop();
      connection.disconnect();
    }
    running.push(stop);
    return {
      publication,
      documents: createRulesetDocuments({ repository, builder }),
      guard,
      stop,
      commit: (...hosts: readonly string[]) =>
        outbox.commit(async (tx, record) => {
          for (const host of hosts) {
            await tx.query(INSERT, [newId(), userId, host]);
            record(host);
          }
        }),
      removeAll: () =>
        outbox.commit(async (tx, record) => {
          const rows = await tx.query<{ host: string }>(
            'DELETE FROM redirects RETURNING from_domain AS host',
          );
          for (const { host } of rows) record(host);
        }),
      remove: (host: string) =>
        outbox.commit(async (tx, record) => {
          await tx.query('DELETE FROM redirects WHERE from_domain = $1', [host]);
          record(host);
        }),
    };
  }

  /** A data plane that only reads rulesets. `steps` are the versions it has served, in order. */
  function startDataplane(keyPrefix: string, options: DataplaneOptions = {}) {
    const { url = server.url, fallback } = options;
    const table = createTestTable();
    const steps: RulesetVersion[] = [];
    const feed = createRedisFeed({ url, keyPrefix, logger, ...(fallback && { fallback }) });
    const onChange = () => {
      if (table.version !== undefined) steps.push(table.version);
      options.onChange?.();
    };
    const synchronizer = createSynchronizer({ feed, table, clock: systemClock, onChange, logger });
    synchronizer.start(savedFrom(options.saved));
    running.push(synchronizer.stop);
    return { table, steps, feed, status: synchronizer.status, stop: synchronizer.stop };
  }

  /** Makes a source that a control plane answers without HTTP, and records the version in each request. */
  function sourceOf({ documents }: Pick<ReturnType<typeof startControlplane>, 'documents'>) {
    const known: (RulesetVersion | undefined)[] = [];
    const fallback: RulesetSource = {
      async read(version) {
        known.push(version);
        const answer = await documents.answer(version);
        if (answer.kind === 'delta') return answer.delta;
        if (answer.kind === 'nothing newer') return undefined;
        return readSnapshot(repository);
      },
    };
    return { known, fallback };
  }

  return {
    sourceOf,
    server,
    redis,
    database,
    repository,
    startControlplane,
    startDataplane,
    head: async () => formatVersion(await repository.readHead()),
    /** A part of the server that no other test sees. */
    newPrefix: () => `test-${randomUUID()}`,
    keys: redisKeys,
    userId,
    async stopAll() {
      await Promise.all(running.splice(0).map((stop) => stop()));
    },
    async close() {
      redis.disconnect();
      await own.close();
      await server.remove();
    },
  };
}

/** Returns a snapshot in the form in which it is read from disk. */
function savedFrom(snapshot: RulesetSnapshot<CapturedRedirects> | undefined): SavedSnapshot | undefined {
  if (snapshot === undefined) return undefined;
  const redirects = new ColdRedirects();
  for (const piece of snapshot.redirects.pieces) {
    for (const line of piece.toString('utf8').split('\n')) if (line !== '') redirects.replay(line);
  }
  return { snapshot: { version: snapshot.version, redirects }, savedAtMs: Date.now() };
}

const INSERT = `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
  query_forwarding, sampling_rate, verification_value, verified_at)
  VALUES ($1, $2, $3, 'https://new.example', 'new.example', 'permanent', false, true, 1, 'v', now())`;
