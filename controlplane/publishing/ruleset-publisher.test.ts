import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type {
  RulesetDelta,
  RulesetFeedListener,
  RulesetSnapshot,
} from '../../shared/ruleset/ruleset-feed.js';
import { commitOf, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { PLANS } from '../areas/plans/default-plans.js';
import type { Plan, PlansOf } from '../plan.js';
import type { Database } from '../storage/postgres/database.js';
import { newId } from '../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { createRulesetHistory } from './ruleset-history.js';
import { createRulesetOutbox, type RulesetOutbox } from './ruleset-outbox.js';
import { createRulesetPublisher, type RulesetPublisher } from './ruleset-publisher.js';
import { readSnapshot } from './ruleset-reading.js';
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

/** A data plane that keeps every received snapshot and delta. */
function createReceiver() {
  const snapshots: RulesetSnapshot[] = [];
  const deltas: RulesetDelta[] = [];
  const heads: RulesetVersion[] = [];
  const problems: string[] = [];
  const listener: RulesetFeedListener = {
    onSnapshot: ({ version, redirects }) => snapshots.push({ version, redirects: [...redirects] }),
    onDelta: (delta) => deltas.push(delta),
    onHead: (version) => heads.push(version),
    onProblem: (problem) => problems.push(problem),
  };
  const version = () => deltas.at(-1)?.version ?? snapshots.at(-1)?.version;
  return { snapshots, deltas, heads, problems, listener, version };
}

/** Everybody is on the same plan. */
function onPlan(plan: Plan): PlansOf {
  return async (_source, userIds) => new Map(userIds.map((id) => [id, plan]));
}

function head(): Promise<RulesetVersion> {
  return createRulesetRepository(database).readHead();
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
    record(host);
  });
  return redirect;
}

/** Commits rules of a redirect, each with its priority and status. `url` identifies a rule. */
async function commitRules(
  { id, host }: { id: string; host: string },
  rules: readonly { url: string; priority: number; status: string; startDate?: string; endDate?: string }[],
) {
  await outbox.commit(async (tx, record) => {
    for (const { url, priority, status, startDate, endDate } of rules) {
      await tx.query(
        `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status,
           start_date, end_date, created_by)
         VALUES ($1, 'rule', 'force', $2::jsonb, 'OR', $3::jsonb, $4, $5, $6, $7, $8)`,
        [
          id,
          JSON.stringify([CONDITION]),
          JSON.stringify({ type: 'redirect', url }),
          priority,
          status,
          startDate ?? null,
          endDate ?? null,
          userId,
        ],
      );
    }
    record(host);
  });
}

const CONDITION = { attribute: 'country', operator: 'in', value: ['DE', 'AT'] };
const ruleTo = (url: string) => ({
  id: expect.any(Number),
  conditionLogic: 'OR',
  conditions: [CONDITION],
  action: { type: 'redirect', url },
});

function commitDelete(host: string) {
  return outbox.commit(async (tx, record) => {
    await tx.query('DELETE FROM redirects WHERE from_domain = $1', [host]);
    record(host);
  });
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
  await vi.waitFor(() => expect(receiver.deltas).toHaveLength(1));
  await commitDelete('one.example');
  await vi.waitFor(async () => expect(receiver.version()).toEqual(await head()));
  expect(receiver.deltas.flatMap((delta) => delta.changes)).toEqual([
    { host: 'one.example', redirect: first },
    { host: 'one.example', redirect: null },
  ]);
  expect(receiver.deltas[0]?.previousSeq).toBe(before.seq);
  expect(receiver.snapshots).toHaveLength(1);
});

test('a feed of who has a version already begins with what leads on from it', async () => {
  await commitRedirect('one.example');
  const known = await head();
  const redirect = await commitRedirect('two.example');
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener, known);
  await vi.waitFor(() => expect(receiver.deltas).toHaveLength(1));
  expect(receiver.deltas[0]?.changes).toEqual([{ host: 'two.example', redirect }]);
  const upToDate = createReceiver();
  publisher.createFeed().start(upToDate.listener, await head());
  await vi.waitFor(async () => expect(upToDate.heads).toContainEqual(await head()));
  const foreign = createReceiver();
  publisher.createFeed().start(foreign.listener, { ...known, lineage: '0123456789ab-0123456789ab' });
  await vi.waitFor(() => expect(foreign.snapshots).toHaveLength(1));
  expect([receiver.snapshots, upToDate.snapshots, upToDate.deltas]).toEqual([[], [], []]);
});

test('a transaction that fails leaves no change and takes no number', async () => {
  const before = await head();
  const failing = outbox.commit(async (_tx, record) => {
    record('one.example');
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

test('a definition says how long the plan of its owner keeps hits', async () => {
  const redirect = await commitRedirect('kept.example');
  const repository = createRulesetRepository(database, onPlan(PLANS.pro));
  expect((await readSnapshot(repository)).redirects).toEqual([{ ...redirect, retentionDays: 365 }]);
});

test('a change of plans publishes the redirects of the user anew, and not those of others', async () => {
  const redirect = await commitRedirect('kept.example');
  const other = newId();
  await database.query('INSERT INTO users (id) VALUES ($1)', [other]);
  await commitRedirect('of-another.example');
  await database.query("UPDATE redirects SET user_id = $1 WHERE from_domain = 'of-another.example'", [other]);
  const before = await head();
  await outbox.commit(async (_tx, record) => record('kept.example'));
  const repository = createRulesetRepository(database, onPlan(PLANS.business));
  expect(await repository.readDelta(before, 10)).toMatchObject({
    previousSeq: before.seq,
    previousLineage: before.lineage,
    changes: [{ host: 'kept.example', redirect: { ...redirect, retentionDays: 730 } }],
  });
});

test('a definition has the active rules in their order, with their dates', async () => {
  const redirect = await commitRedirect('one.example');
  await commitRules(redirect, [
    { url: 'https://third.example', priority: 30, status: 'active' },
    { url: 'https://draft.example', priority: 3, status: 'draft' },
    { url: 'https://first.example', priority: 1, status: 'active', startDate: '2026-01-01T00:00:00.001Z' },
    { url: 'https://inactive.example', priority: 4, status: 'inactive' },
    { url: 'https://second.example', priority: 2, status: 'active', endDate: '2026-02-01T23:59:59.999Z' },
  ]);
  const rules = [
    { ...ruleTo('https://first.example'), startMs: Date.UTC(2026, 0, 1, 0, 0, 0, 1) },
    { ...ruleTo('https://second.example'), endMs: Date.UTC(2026, 1, 1, 23, 59, 59, 999) },
    ruleTo('https://third.example'),
  ];
  const { redirects } = await readSnapshot(createRulesetRepository(database));
  expect(redirects).toEqual([{ ...redirect, rules }]);
});

test('rules go to the redirect they belong to, and one without active rules has no list', async () => {
  const one = await commitRedirect('one.example');
  const two = await commitRedirect('two.example');
  const three = await commitRedirect('three.example');
  await commitRules(one, [{ url: 'https://one.new.example', priority: 1, status: 'active' }]);
  await commitRules(two, [{ url: 'https://two.new.example', priority: 1, status: 'active' }]);
  await commitRules(three, [{ url: 'https://three.new.example', priority: 1, status: 'draft' }]);
  const { redirects } = await readSnapshot(createRulesetRepository(database));
  expect(redirects).toEqual([
    { ...one, rules: [ruleTo('https://one.new.example')] },
    three,
    { ...two, rules: [ruleTo('https://two.new.example')] },
  ]);
});

test('a change of a rule arrives as a delta with the whole definition', async () => {
  const redirect = await commitRedirect('one.example');
  await commitRedirect('two.example');
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  await commitRules(redirect, [{ url: 'https://rule.example', priority: 1, status: 'active' }]);
  await vi.waitFor(async () => expect(receiver.version()).toEqual(await head()));
  expect(receiver.deltas.flatMap((delta) => delta.changes)).toEqual([
    { host: 'one.example', redirect: { ...redirect, rules: [ruleTo('https://rule.example')] } },
  ]);
});

test('a redirect that is deleted takes its rules along', async () => {
  const redirect = await commitRedirect('one.example');
  await commitRules(redirect, [{ url: 'https://rule.example', priority: 1, status: 'active' }]);
  const before = await head();
  await commitDelete('one.example');
  expect(await createRulesetRepository(database).readDelta(before, 100)).toEqual({
    version: await head(),
    previousSeq: before.seq,
    previousLineage: before.lineage,
    changes: [{ host: 'one.example', redirect: null }],
    commits: [commitOf(await head())],
  });
  expect(await database.query('SELECT id FROM rules')).toEqual([]);
});

test('a delta names each host once, the one that changed first before the others, as it is now', async () => {
  const before = await head();
  const redirect = await commitRedirect('zero.example');
  const other = await commitRedirect('one.example');
  await commitRules(redirect, [{ url: 'https://rule.example', priority: 1, status: 'active' }]);
  expect(await createRulesetRepository(database).readDelta(before, 3)).toEqual({
    version: await head(),
    previousSeq: before.seq,
    previousLineage: before.lineage,
    changes: [
      { host: 'zero.example', redirect: { ...redirect, rules: [ruleTo('https://rule.example')] } },
      { host: 'one.example', redirect: other },
    ],
    commits: [expect.any(String), expect.any(String)],
  });
});

test('a delta of more changes than it may have ends before the head, and others lead on from there', async () => {
  const before = await head();
  const hosts = ['one.example', 'two.example', 'three.example', 'four.example', 'five.example'];
  for (const host of hosts) await commitRedirect(host);
  await commitDelete('five.example');
  const newest = await head();
  const repository = createRulesetRepository(database);
  const deltas = [];
  for (let since = before, hasMore = true; hasMore; ) {
    const delta = await repository.readDelta(since, 2);
    if (delta === undefined) throw new Error('there is no delta');
    expect(delta).toMatchObject({ previousSeq: since.seq, previousLineage: since.lineage });
    deltas.push(delta);
    since = delta.version;
    hasMore = delta.hasMore === true;
  }
  expect(deltas.map(({ changes }) => changes.map(({ host }) => host))).toEqual([
    ['one.example', 'two.example'],
    ['three.example', 'four.example'],
    ['five.example'],
  ]);
  expect(deltas.map(({ version }) => version.seq - before.seq)).toEqual([2, 4, 6]);
  // A data plane can stop between two deltas and continue from there.
  const history = createRulesetHistory(database);
  for (const { version } of deltas) expect((await history.relationOf(version)).relation).toBe('known');
  expect(deltas.map(({ version }) => version.removals)).toEqual([
    ...[before.removals, before.removals],
    newest.removals,
  ]);
  expect(deltas[2]?.version).toEqual(newest);
});

const commitHosts = (...hosts: string[]) => outbox.commit(async (_tx, record) => hosts.forEach(record));

test('a delta ends between commits, so that a table of paths changes in one step', async () => {
  const before = await head();
  await commitHosts('one.example', '/one/0');
  const between = await head();
  await commitHosts('two.example', '/two/0', '/two/1');
  const repository = createRulesetRepository(database);
  const hostsIn = async (since: RulesetVersion, limit: number) =>
    (await repository.readDelta(since, limit))?.changes.map(({ host }) => host);
  for (const limit of [2, 3, 4]) expect(await hostsIn(before, limit)).toEqual(['one.example', '/one/0']);
  expect(await hostsIn(before, 5)).toHaveLength(5);
  expect(await hostsIn(between, 3)).toEqual(['two.example', '/two/0', '/two/1']);
  // No delta has room for the pages of this commit.
  expect(await hostsIn(before, 1)).toBeUndefined();
  expect(await hostsIn(between, 2)).toBeUndefined();
});

test('more changes than a few deltas are read as a snapshot', async () => {
  const before = await head();
  const change = (hosts: number) =>
    outbox.commit(async (_tx, record) => {
      for (let at = 0; at < hosts; at += 1) record(`host-${at}.example`);
    });
  const repository = createRulesetRepository(database);
  await change(10_000);
  expect((await repository.readDelta(before, 1_000))?.changes).toHaveLength(1_000);
  await change(1);
  expect(await repository.readDelta(before, 1_000)).toBeUndefined();
});

test('a change of many hosts at once reaches a data plane in several deltas', async () => {
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  await outbox.commit(async (_tx, record) => {
    for (let at = 0; at < 2_500; at += 1) record(`host-${at}.example`);
  });
  await vi.waitFor(async () => expect(receiver.version()).toEqual(await head()));
  expect(receiver.snapshots).toHaveLength(1);
  expect(receiver.deltas.map(({ changes }) => changes.length)).toEqual([1_000, 1_000, 500]);
  // Nothing is served at these hosts. The removals of each delta include those of the deltas before it.
  const { removals = 0 } = receiver.snapshots[0]?.version ?? {};
  expect(receiver.deltas.map(({ version }) => version.removals)).toEqual(
    [1_000, 2_000, 2_500].map((removed) => removals + removed),
  );
});

test('a delta from the head on has no changes, and from beyond the head there is none', async () => {
  await commitRedirect('one.example');
  const newest = await head();
  const { epoch, seq } = newest;
  const repository = createRulesetRepository(database);
  expect(await repository.readDelta(newest, 10)).toEqual({
    version: newest,
    previousSeq: seq,
    previousLineage: newest.lineage,
    changes: [],
    commits: [],
  });
  expect(await repository.readDelta({ epoch, seq: seq + 1 }, 10)).toBeUndefined();
  expect(await repository.readDelta({ epoch: epoch + 1, seq }, 10)).toBeUndefined();
});

test('a transaction that changes a host several times takes one number', async () => {
  const { seq } = await head();
  await outbox.commit(async (_tx, record) => {
    record('one.example');
    record('one.example');
  });
  expect((await head()).seq).toBe(seq + 1);
});

test('a transaction that changes many hosts numbers them in their order, with one statement', async () => {
  const hosts = Array.from({ length: 200 }, (_, index) => `many-${index}.example`).reverse();
  const before = await head();
  let statements = 0;
  const counting: Database = {
    ...database,
    transaction: (work, options) =>
      database.transaction(
        (tx) =>
          work({
            query(sql, params) {
              statements += 1;
              return tx.query(sql, params);
            },
          }),
        options,
      ),
  };
  await createRulesetOutbox(counting).commit(async (_tx, record) => hosts.forEach(record));
  expect(statements).toBe(1);
  expect(await head()).toMatchObject({ epoch: before.epoch, seq: before.seq + 200 });
  const rows = await database.query(
    'SELECT seq, host FROM ruleset_changes WHERE epoch = $1 AND seq > $2 ORDER BY seq',
    [before.epoch, before.seq],
  );
  expect(rows).toEqual(hosts.map((host, index) => ({ seq: before.seq + 1 + index, host })));
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

test('changes that are 20,000 behind the head are forgotten with the first commit of a process', async () => {
  await commitRedirect('one.example');
  await publisher.stop();
  await database.query('UPDATE ruleset_head SET seq = seq + 20000');
  outbox = createRulesetOutbox(database);
  publisher = createRulesetPublisher({ outbox, repository: createRulesetRepository(database), logger });
  await commitRedirect('two.example');
  const hosts = () => database.query('SELECT host FROM ruleset_changes');
  await vi.waitFor(async () => expect(await hosts()).toEqual([{ host: 'two.example' }]));
});

test('a new epoch, begun by hand after a restore, reaches feeds as a snapshot', async () => {
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(1));
  const { epoch } = await head();
  await database.query('UPDATE ruleset_head SET epoch = epoch + 1, seq = 0');
  await vi.waitFor(() => expect(receiver.snapshots).toHaveLength(2));
  expect(receiver.snapshots[1]?.version).toMatchObject({ epoch: epoch + 1, seq: 0 });
  const redirect = await commitRedirect('one.example');
  await vi.waitFor(() => expect(receiver.deltas).toHaveLength(1));
  expect(receiver.deltas[0]).toMatchObject({ previousSeq: 0, changes: [{ host: 'one.example', redirect }] });
});

test('a feed is told the head again and again, though nothing changes', async () => {
  const receiver = createReceiver();
  publisher.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.heads.length).toBeGreaterThan(1));
  expect(receiver.heads.at(-1)).toEqual(await head());
  expect(receiver.snapshots).toHaveLength(1);
});

test('a feed is told in plain words when the database cannot be read', async () => {
  const repository = createRulesetRepository(database);
  const readPage = () => Promise.reject(new Error('a message that may hold anything'));
  const failing = createRulesetPublisher({ outbox, repository: { ...repository, readPage }, logger });
  const receiver = createReceiver();
  failing.createFeed().start(receiver.listener);
  await vi.waitFor(() => expect(receiver.problems).toEqual(['the control plane cannot read the rulesets']));
  await failing.stop();
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
