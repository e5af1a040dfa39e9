import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type FollowedRuleset, followRuleset } from '../../publishing/followed-ruleset.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { DatabaseUnavailableError } from '../../storage/postgres/database-unavailable.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { createStandingPasses, type StandingPasses } from './standing-passes.js';

const PAGE_SIZE = 100;
/** Two full pages and a part of one. */
const HOSTS = 2.5 * PAGE_SIZE;

let area: RedirectsApi;
let user: TestUser;
let passes: StandingPasses;
let dataplane: FollowedRuleset;

beforeAll(async () => {
  area = await startRedirectsApi();
  const { database } = area.api;
  user = await area.api.createUser({ plan: 'business' });
  passes = createStandingPasses({
    database,
    outbox: createRulesetOutbox(database),
    logger: pino({ level: 'silent' }),
    pageSize: PAGE_SIZE,
  });
  await database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
       sampling_rate, verification_value, verified_at)
     SELECT 'r' || n, $1, 'h' || n || '.example', 'https://own.example', 'own.example', 'permanent', false, false, 1, 'v', now()
     FROM generate_series(1, $2::int) AS n`,
    [user.id, HOSTS],
  );
  await area.createVerified(await area.api.createUser().then(({ token }) => token), {
    fromDomain: 'other.example',
    toDomain: 'https://own.example',
  });
  dataplane = followRuleset(createRulesetRepository(database));
  await dataplane.catchUp();
});
afterAll(() => area.close());

const suspend = (tx: Queryable) =>
  tx.query("INSERT INTO suspensions (user_id, reason) VALUES ($1, 'spam')", [user.id]);
const resume = (tx: Queryable) => tx.query('DELETE FROM suspensions WHERE user_id = $1', [user.id]);

/** Changes the standing of the user and publishes its first page, as a control plane that is killed after it. */
const changeAndDie = (change: (tx: Queryable) => Promise<unknown>) =>
  createRulesetOutbox(area.api.database).commit(async (tx, record) => {
    await change(tx);
    await passes.begin(tx, record, user.id);
  });

/** Returns the hosts whose visitors get 410, in order. */
async function goneHosts(): Promise<string[]> {
  await dataplane.catchUp();
  expect(dataplane.redirects.size).toBe(HOSTS + 1);
  return dataplane.goneHosts();
}

async function commitsSince(seq: number): Promise<string[][]> {
  const rows = await area.api.database.query<{ hosts: string[] }>(
    'SELECT array_agg(host) AS hosts FROM ruleset_changes WHERE seq > $1 GROUP BY commit_id ORDER BY min(seq)',
    [seq],
  );
  return rows.map(({ hosts }) => hosts);
}

const seq = async () =>
  (await area.api.database.query<{ seq: number }>('SELECT seq FROM ruleset_head'))[0]?.seq ?? 0;

it('a suspension is published in bounded commits, and a crash leaves each host as it was published', async () => {
  const before = await seq();
  await changeAndDie(suspend);
  const [published = []] = await commitsSince(before);
  expect(published).toHaveLength(PAGE_SIZE);
  expect(await goneHosts()).toEqual([...published].sort());

  await passes.runRound();
  expect((await commitsSince(before)).map((hosts) => hosts.length)).toEqual([
    PAGE_SIZE,
    PAGE_SIZE,
    PAGE_SIZE / 2,
  ]);
  const gone = await goneHosts();
  expect(gone).toHaveLength(HOSTS);
  expect(gone).not.toContain('other.example');
});

it('a host that is read during a pass has the newest state, and the others keep what was published', async () => {
  await changeAndDie(resume);
  const unpublished = 'h99.example';
  expect(await goneHosts()).toContain(unpublished);
  expect(await area.served(unpublished)).not.toHaveProperty('gone');
  await passes.publish(user.id);
  expect(await goneHosts()).toEqual([]);
});

it('a suspension that ends during its pass ends for all hosts', async () => {
  await changeAndDie(suspend);
  expect(await goneHosts()).toHaveLength(PAGE_SIZE);
  await changeAndDie(resume);
  await passes.publish(user.id);
  expect(await goneHosts()).toEqual([]);
  expect(await area.api.database.query('SELECT FROM standing_passes')).toEqual([]);
});

it('a suspension during the pass of the end of another one makes no further host served', async () => {
  await changeAndDie(suspend);
  await passes.publish(user.id);
  expect(await goneHosts()).toHaveLength(HOSTS);
  await changeAndDie(resume);
  expect(await goneHosts()).toHaveLength(HOSTS - PAGE_SIZE);
  await changeAndDie(suspend);
  expect(await goneHosts()).toHaveLength(HOSTS);
  await passes.publish(user.id);
  expect(await goneHosts()).toHaveLength(HOSTS);
  await changeAndDie(resume);
  await passes.publish(user.id);
  expect(await goneHosts()).toEqual([]);
});

it('an account that is suspended and waits for its deletion stays gone when one of both ends', async () => {
  await changeAndDie(suspend);
  await changeAndDie((tx) =>
    tx.query('INSERT INTO account_deletions (user_id, erase_at) VALUES ($1, now())', [user.id]),
  );
  await passes.publish(user.id);
  await changeAndDie(resume);
  await passes.publish(user.id);
  expect(await goneHosts()).toHaveLength(HOSTS);
  await changeAndDie((tx) => tx.query('DELETE FROM account_deletions WHERE user_id = $1', [user.id]));
  await passes.publish(user.id);
  expect(await goneHosts()).toEqual([]);
});

it('a change is answered although its remaining pages cannot be published now, and a later round publishes them', async () => {
  await changeAndDie(suspend);
  const { database } = area.api;
  const away = createStandingPasses({
    database: { ...database, query: () => Promise.reject(new DatabaseUnavailableError(undefined)) },
    outbox: createRulesetOutbox(database),
    logger: pino({ level: 'silent' }),
  });
  await away.publish(user.id);
  expect((await goneHosts()).length).toBeLessThan(HOSTS);
  await passes.runRound();
  expect(await goneHosts()).toHaveLength(HOSTS);
});
