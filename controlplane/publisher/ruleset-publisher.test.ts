import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type {
  RulesetDelta,
  RulesetFeedListener,
  RulesetSnapshot,
} from '../../shared/ruleset/ruleset-feed.js';
import type { Database } from '../database/database.js';
import { newId } from '../database/new-id.js';
import { openTestDatabase, type TestDatabase } from '../database/test-database.fixture.js';
import { createRulesetOutbox, type RulesetOutbox } from './ruleset-outbox.js';
import { createRulesetPublisher, type RulesetPublisher } from './ruleset-publisher.js';
import { createRulesetRepository } from './ruleset-repository.js';

const logger = pino({ level: 'silent' });
const userId = newId();
let own: TestDatabase;
let database: Database;
let outbox: RulesetOutbox;
let publisher: RulesetPublisher;

beforeAll(async () => {
  own = await openTestDatabase();
  database = own.database;
  await database.query('INSERT INTO users (id) VALUES ($1)', [userId]);
});

afterAll(() => own.close());

beforeEach(async () => {
  await database.query('DELETE FROM redirects');
  outbox = createRulesetOutbox(database);
  publisher = createRulesetPublisher({ outbox, repository: createRulesetRepository(database), logger });
  return () => publisher.stop();
});

/** A data plane that keeps what it is told. */
function createReceiver() {
  const snapshots: RulesetSnapshot[] = [];
  const deltas: RulesetDelta[] = [];
  const listener: RulesetFeedListener = {
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    onDelta: (delta) => deltas.push(delta),
  };
  const version = () => deltas.at(-1)?.version ?? snapshots.at(-1)?.version;
  return { snapshots, deltas, listener, version };
}

async function head() {
  const [row] = await database.query<{ epoch: number; seq: number }>('SELECT epoch, seq FROM ruleset_head');
  return row!;
}

function definition(host: string) {
  return {
    id: newId(),
    host,
    destination: 'https://new.example',
    redirectType: 'permanent',
    pathForwarding: false,
    queryForwarding: true,
    samplingRate: 0.25,
  } as const;
}

/** Commits a verified redirect, as the redirects area does. */
async function commitRedirect(host: string) {
  const redirect = definition(host);
  await outbox.commit(async (tx, record) => {
    await tx.query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
         query_forwarding, sampling_rate, verification_value, verified_at)
       VALUES ($1, $2, $3, $4, 'new.example', 'permanent', false, true, 0.25, 'v', now())`,
      [redirect.id, userId, host, redirect.destination],
    );
    record({ host, redirect });
  });
  return redirect;
}

test('a new feed begins with a snapshot of the verified redirects at the head', async () => {
  const redirect = await commitRedirect('one.example');
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  expect(receiver.snapshots[0]).toEqual({ version: await head(), redirects: [redirect] });
});

test('each commit arrives as a delta that follows on the version before', async () => {
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  const before = await head();
  const first = await commitRedirect('one.example');
  await outbox.commit(async (tx, record) => {
    await tx.query("DELETE FROM redirects WHERE from_domain = 'one.example'");
    record({ host: 'one.example', redirect: null });
  });
  await vi.waitFor(async () => expect(receiver.version()).toEqual(await head()));
  expect(receiver.deltas.flatMap((delta) => delta.changes)).toEqual([
    { host: 'one.example', redirect: first },
    { host: 'one.example', redirect: null },
  ]);
  expect(receiver.deltas[0]?.previousSeq).toBe(before.seq);
  expect(receiver.snapshots).toHaveLength(1);
});

test('a transaction that fails leaves no change and takes no number', async () => {
  const before = await head();
  const failing = outbox.commit(async (_tx, record) => {
    record({ host: 'one.example', redirect: definition('one.example') });
    throw new Error('nothing of this');
  });
  await expect(failing).rejects.toThrow('nothing of this');
  expect(await head()).toEqual(before);
});

test('several feeds each get every change once', async () => {
  const receivers = [createReceiver(), createReceiver(), createReceiver()];
  for (const { listener } of receivers) publisher.createFeed().start(listener);
  await vi.waitFor(() => expect(receivers.every(({ snapshots }) => snapshots.length === 1)).toBe(true));
  const hosts = Array.from({ length: 20 }, (_, index) => `host-${index}.example`);
  await Promise.all(hosts.map(commitRedirect));
  for (const { deltas, version } of receivers) {
    await vi.waitFor(async () => expect(version()).toEqual(await head()));
    expect(deltas.flatMap((delta) => delta.changes.map(({ host }) => host)).sort()).toEqual(hosts.sort());
  }
});

test('a feed that asks for a snapshot gets one of the present', async () => {
  const receiver = createReceiver();
  const feed = publisher.createFeed();
  feed.start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  const redirect = await commitRedirect('one.example');
  feed.requestSnapshot();
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(2));
  expect(receiver.snapshots[1]).toEqual({ version: await head(), redirects: [redirect] });
});

test('a feed whose place in the log is gone gets a snapshot instead', async () => {
  const repository = createRulesetRepository(database);
  const old = await head();
  await commitRedirect('one.example');
  await commitRedirect('two.example');
  await repository.trimChanges(1);
  expect(await repository.readDelta(old, 100)).toBeUndefined();
  const { seq } = await head();
  expect((await repository.readDelta({ epoch: old.epoch, seq: seq - 1 }, 100))?.changes).toHaveLength(1);
  expect(await repository.readDelta({ epoch: old.epoch - 1, seq: seq - 1 }, 100)).toBeUndefined();
});

test('a new epoch, begun by hand after a restore, reaches feeds as a snapshot', async () => {
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  const { epoch } = await head();
  await database.query('UPDATE ruleset_head SET epoch = epoch + 1, seq = 0');
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(2), { timeout: 5_000 });
  expect(receiver.snapshots[1]?.version).toEqual({ epoch: epoch + 1, seq: 0 });
  const redirect = await commitRedirect('one.example');
  await vi.waitFor(() => expect(receiver.deltas).toHaveLength(1));
  expect(receiver.deltas[0]).toMatchObject({ previousSeq: 0, changes: [{ host: 'one.example', redirect }] });
});

test('a feed that has stopped hears nothing more', async () => {
  const receiver = createReceiver();
  const feed = publisher.createFeed();
  feed.start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  feed.stop();
  const other = createReceiver();
  publisher.createFeed().start(other.listener);
  await commitRedirect('one.example');
  await vi.waitFor(async () => expect(other.version()).toEqual(await head()));
  expect(receiver.deltas).toEqual([]);
});
