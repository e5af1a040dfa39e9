import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AppError } from '../errors/app-error.js';
import type { Database, Queryable } from '../storage/postgres/database.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { createRulesetOutbox } from './ruleset-outbox.js';

let own: TestDatabase;
let database: Database;

beforeAll(async () => {
  own = await openTestDatabase();
  database = own.database;
});

afterAll(() => own.close());

test('who changes something has the answer when the change was carried on', async () => {
  const outbox = createRulesetOutbox(database);
  let carry = () => {};
  const carried = vi.fn();
  outbox.onCommitted(
    () =>
      new Promise((resolve) => {
        carry = resolve;
        carried();
      }),
  );
  let answer: string | undefined;
  const answered = outbox
    .commit(async (_tx, record) => {
      record('one.example');
      return 'answer';
    })
    .then((value) => {
      answer = value;
    });
  await vi.waitFor(() => expect(carried).toHaveBeenCalledOnce());
  await new Promise(setImmediate);
  expect(answer).toBeUndefined();

  carry();
  await answered;
  expect(answer).toBe('answer');
});

test('nobody waits for ever for a change to be carried on', async () => {
  const outbox = createRulesetOutbox(database, 1);
  outbox.onCommitted(() => new Promise(() => {}));
  await outbox.commit(async (_tx, record) => record('two.example'));
});

test('nothing is carried on where nothing was changed', async () => {
  const outbox = createRulesetOutbox(database);
  const listener = vi.fn(async () => {});
  outbox.onCommitted(listener);
  await outbox.commit(async () => 'read only');
  expect(listener).not.toHaveBeenCalled();
});

test('mutations that arrive together share one transaction, one lock, and consecutive numbers', async () => {
  const outbox = createRulesetOutbox(database);
  const carried = vi.fn(async () => {});
  outbox.onCommitted(carried);
  const takeLock = vi.fn(async () => {});
  const xid = async (tx: Queryable) =>
    (await tx.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid'))[0]?.xid;
  const hosts = ['a.example', 'b.example', 'c.example'];
  const xids = await Promise.all(
    hosts.map((host) =>
      outbox.commitInBatch(
        async (tx, record) => {
          record(host);
          return xid(tx);
        },
        { first: takeLock },
      ),
    ),
  );
  expect(new Set(xids).size).toBe(1);
  expect(takeLock).toHaveBeenCalledOnce();
  expect(carried).toHaveBeenCalledOnce();
  const changes = await database.query<{ host: string }>(
    'SELECT host FROM ruleset_changes ORDER BY seq DESC LIMIT 3',
  );
  expect(changes.map(({ host }) => host).reverse()).toEqual(hosts);
});

test.each([
  [
    'an error of the database',
    (tx: Queryable) => tx.query('INSERT INTO users (id) VALUES (NULL)'),
    { code: '23502' },
  ],
  [
    'a refusal after a write',
    async (tx: Queryable) => {
      await tx.query("INSERT INTO users (id) VALUES ('refused')");
      throw new AppError('NOT_FOUND', { message: 'refused' });
    },
    { code: 'NOT_FOUND' },
  ],
  [
    'a refusal before any write',
    async () => {
      throw new AppError('NOT_FOUND', { message: 'refused' });
    },
    { code: 'NOT_FOUND' },
  ],
])('%s takes nothing from the others of a batch', async (name, fail, error) => {
  const outbox = createRulesetOutbox(database);
  const ids = [`${name} 1`, `${name} 2`];
  const insert = (id: string) =>
    outbox.commitInBatch(async (tx, record) => {
      await tx.query('INSERT INTO users (id) VALUES ($1)', [id]);
      record(`${id}.example`);
    });
  const [first, failed, second] = await Promise.allSettled([
    insert(ids[0]!),
    outbox.commitInBatch(async (tx, record) => {
      record('failed.example');
      await fail(tx);
    }),
    insert(ids[1]!),
  ]);
  expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(failed).toMatchObject({ status: 'rejected', reason: error });
  const users = await database.query<{ id: string }>(
    "SELECT id FROM users WHERE id = ANY ($1) OR id = 'refused' ORDER BY id",
    [ids],
  );
  expect(users.map(({ id }) => id)).toEqual(ids);
  const changed = await database.query<{ host: string }>(
    'SELECT host FROM ruleset_changes ORDER BY seq DESC LIMIT 2',
  );
  expect(changed.map(({ host }) => host).sort()).toEqual(ids.map((id) => `${id}.example`));
});

test('a batch of which nothing is left after refusals changes no number', async () => {
  const outbox = createRulesetOutbox(database);
  const listener = vi.fn(async () => {});
  outbox.onCommitted(listener);
  const refused = outbox.commitInBatch(async (_tx, record) => {
    record('refused.example');
    throw new AppError('NOT_FOUND', { message: 'refused' });
  });
  await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(listener).not.toHaveBeenCalled();
});
