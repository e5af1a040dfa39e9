import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ANY_LOSS } from '../../shared/ruleset/replacement.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { Database } from '../storage/postgres/database.js';
import { newId } from '../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { createPublicationGuard, PublicationRefused } from './publication-guard.js';
import { createRulesetHistory } from './ruleset-history.js';
import { createRulesetOutbox, type RulesetOutbox } from './ruleset-outbox.js';
import { createRulesetRepository, type RulesetRepository } from './ruleset-repository.js';

const logger = pino({ level: 'silent' });
const PLACE = 'the ruleset of a test';
const OTHER_LINEAGE = '0123456789ab-0123456789ab';
const userId = newId();
let own: TestDatabase;
let database: Database;
let repository: RulesetRepository;
let outbox: RulesetOutbox;

beforeAll(async () => {
  own = await openTestDatabase();
  database = own.database;
  repository = createRulesetRepository(database);
  outbox = createRulesetOutbox(database);
  await database.query('INSERT INTO users (id) VALUES ($1)', [userId]);
});
afterAll(() => own.close());

beforeEach(async () => {
  await database.query('DELETE FROM redirects');
  for (let index = 0; index < 3; index += 1) await add(`host-${index}.example`);
});

const INSERT = `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
  query_forwarding, sampling_rate, verification_value, verified_at)
  VALUES ($1, $2, $3, 'https://new.example', 'new.example', 'permanent', false, true, 1, 'v', now())`;

const add = (host: string) =>
  outbox.commit(async (tx, record) => {
    await tx.query(INSERT, [newId(), userId, host]);
    record(host);
  });

function guardOf(acceptsAnyLoss = false) {
  return createPublicationGuard({ history: createRulesetHistory(database), acceptsAnyLoss, logger });
}

const served = (version: RulesetVersion, hosts: number) => ({
  place: PLACE,
  version,
  hosts: async () => hosts,
});

/** A version as it was before versions had lineages. */
const numbersOf = ({ epoch, seq }: RulesetVersion): RulesetVersion => ({ epoch, seq });

describe('what the database has had', () => {
  it.each([
    ['its head', async () => repository.readHead()],
    [
      'an older version of it',
      async () => {
        const before = await repository.readHead();
        await add('later.example');
        return before;
      },
    ],
    ['its head as an older release wrote it', async () => numbersOf(await repository.readHead())],
    ['a version of an older epoch', async () => ({ ...(await repository.readHead()), epoch: 1, seq: 1_000 })],
  ])('may be replaced, and no epoch begins: %s', async (_name, versionOf) => {
    const version = await versionOf();
    const head = await repository.readHead();
    const guard = guardOf();
    await guard.admit(served(version, 1_000));
    expect(guard.refusal).toBeUndefined();
    expect(await repository.readHead()).toEqual(head);
  });
});

describe('what the database has lost', () => {
  it.each([
    ['a later version', (head: RulesetVersion) => ({ ...head, seq: head.seq + 1 })],
    [
      'a later version of an older release',
      (head: RulesetVersion) => ({ ...numbersOf(head), seq: head.seq + 1 }),
    ],
    ['a later epoch', (head: RulesetVersion) => ({ ...head, epoch: head.epoch + 5 })],
    [
      'other content under the same numbers',
      (head: RulesetVersion) => ({ ...head, lineage: `${head.lineage?.slice(0, 12)}-0123456789ab` }),
    ],
  ])('has a new epoch begin, beyond what is served: %s', async (_name, versionOf) => {
    const before = await repository.readHead();
    const version = versionOf(before);
    const guard = guardOf();
    await guard.admit(served(version, 4));
    const head = await repository.readHead();
    expect(guard.refusal).toBeUndefined();
    expect(head.epoch).toBeGreaterThan(version.epoch);
    expect(head.seq).toBe(0);
    expect(head.lineage).not.toBe(before.lineage);
    // Only once: the next check finds no problem.
    await guard.admit(served(version, 4));
    expect(await repository.readHead()).toEqual(head);
  });

  it('is found under numbers that the database has passed since', async () => {
    const before = await repository.readHead();
    await add('later3.example');
    const version = {
      ...before,
      seq: before.seq + 1,
      lineage: `${before.lineage?.slice(0, 12)}-0123456789ab`,
    };
    await add('later4.example');
    expect(await repository.readDelta(version, 10)).toBeUndefined();
    await guardOf().admit(served(version, 4));
    expect((await repository.readHead()).epoch).toBeGreaterThan(before.epoch);
  });
});

describe('rulesets that the database must not replace', () => {
  const ahead = (head: RulesetVersion) => ({ ...head, seq: head.seq + 50 });
  const foreign = (head: RulesetVersion) => ({ ...head, lineage: OTHER_LINEAGE });

  it.each([
    ['far more hosts than the database', ahead, 60],
    ['one host of another database', foreign, 1],
    [
      'hosts of another database, in an older epoch',
      (head: RulesetVersion) => ({ ...foreign(head), epoch: 1 }),
      60,
    ],
  ])('are those with %s; the refusal says how to go on', async (_name, versionOf, hosts) => {
    const before = await repository.readHead();
    const guard = guardOf();
    await expect(guard.admit(served(versionOf(before), hosts))).rejects.toThrow(PublicationRefused);
    expect(guard.refusal).toContain(`${hosts} hosts`);
    expect(guard.refusal).toContain('--accept-empty-database');
    expect(guard.refusal).toContain('put a backup of DATA_DIR or of the database back');
    expect(await repository.readHead()).toEqual(before);
  });

  it('are those that an older release served before the database was made anew', async () => {
    await database.query('DELETE FROM redirects');
    const guard = guardOf();
    await expect(guard.admit(served({ epoch: 1, seq: 1 }, 1))).rejects.toThrow(PublicationRefused);
  });

  it('are not those without any host', async () => {
    const guard = guardOf();
    const before = await repository.readHead();
    await guard.admit(served(foreign(before), 0));
    expect(guard.refusal).toBeUndefined();
    expect((await repository.readHead()).epoch).toBeGreaterThan(before.epoch);
  });

  it('keep everything waiting until their place is in order again', async () => {
    const guard = guardOf();
    let began = 0;
    await guard.admit(served(foreign(await repository.readHead()), 60)).catch(() => undefined);
    guard.onceAllowed(() => {
      began += 1;
    });
    expect(began).toBe(0);
    await guard.admit(served(await repository.readHead(), 3));
    expect(guard.refusal).toBeUndefined();
    expect(began).toBe(1);
  });

  it.each([
    ['many more hosts', ahead],
    ['another database', foreign],
  ])('may be replaced when that was said at the start: %s', async (_name, versionOf) => {
    const version = versionOf(await repository.readHead());
    const guard = guardOf(true);
    await guard.admit(served(version, 60));
    const head = await repository.readHead();
    expect(head.epoch).toBeGreaterThan(version.epoch);
    expect(head.removals).toBeGreaterThanOrEqual(ANY_LOSS);
    // Another process without that permission finds it in the database.
    await guardOf().admit(served(version, 60));
  });

  it('may be replaced when an operator begins a new epoch', async () => {
    const version = { ...foreign(await repository.readHead()), epoch: 9_000_000_000 };
    const guard = guardOf();
    await expect(guard.admit(served(version, 60))).rejects.toThrow(PublicationRefused);
    const { head } = await guard.beginEpoch(async () => undefined);
    expect(guard.refusal).toBeUndefined();
    expect(head.epoch).toBeGreaterThan(version.epoch);
    await guardOf().admit(served(version, 60));
    expect(await repository.readHead()).toEqual(head);
  });
});

it('a data plane that is ahead has a new epoch begin, and never keeps others waiting', async () => {
  const before = await repository.readHead();
  const guard = guardOf();
  await guard.overtake({ place: PLACE, version: { ...before, seq: before.seq + 1, lineage: OTHER_LINEAGE } });
  expect((await repository.readHead()).epoch).toBeGreaterThan(before.epoch);
  expect(guard.refusal).toBeUndefined();
});

it('removals are counted by the hosts at which nothing is served any more', async () => {
  const before = await repository.readHead();
  await outbox.commit(async (tx, record) => {
    await tx.query(
      `UPDATE redirects SET to_domain = 'https://other.example' WHERE from_domain = 'host-0.example'`,
    );
    await tx.query(`DELETE FROM redirects WHERE from_domain IN ('host-1.example', 'host-2.example')`);
    for (let index = 0; index < 3; index += 1) record(`host-${index}.example`);
  });
  expect((await repository.readHead()).removals).toBe((before.removals ?? 0) + 2);
});
