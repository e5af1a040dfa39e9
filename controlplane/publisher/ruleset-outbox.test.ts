import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../database/database.js';
import { openTestDatabase, type TestDatabase } from '../database/test-database.fixture.js';
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
