import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { DatabaseUnavailableError } from '../../storage/postgres/database-unavailable.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { createStandingPasses, isGone, type StandingPasses } from './standing-passes.js';

const PAGE_SIZE = 100;
/** Two full pages and a part of one. */
const HOSTS = 2.5 * PAGE_SIZE;

let area: RedirectsApi;
let user: TestUser;
let passes: StandingPasses;

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
});
afterAll(() => area.close());

const suspend = (tx: Queryable) =>
  tx.query("INSERT INTO suspensions (user_id, reason) VALUES ($1, 'spam')", [user.id]);
const resume = (tx: Queryable) => tx.query('DELETE FROM suspensions WHERE user_id = $1', [user.id]);

/** Changes the standing of the user and publishes its first page, as a control plane that is killed after it. */
const changeAndDie = (change: (tx: Queryable) => Promise<unknown>) =>
  createRulesetOutbox(area.api.database).commit(async (tx, record) => {
    const before = await isGone(tx, user.id);
    await change(tx);
    await passes.begin(tx, record, user.id, before);
  });

/** Returns the hosts whose visitors get 410. */
async function goneHosts(): Promise<string[]> {
  const { redirects } = await readSnapshot(createRulesetRepository(area.api.database));
  expect(redirects).toHaveLength(HOSTS + 1);
  return redirects.filter(({ gone }) => gone === true).map(({ host }) => host);
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
  expect((await goneHosts()).sort()).toEqual([...published].sort());

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

it('a redirect that is verified during a pass is served as its neighbours are', async () => {
  await changeAndDie(resume);
  await area.api.database.query(
    `UPDATE redirects SET from_domain = 'h99z.example' WHERE from_domain = 'h99.example'`,
  );
  expect(await area.served('h99z.example')).toMatchObject({ gone: true });
  await passes.publish(user.id);
  expect(await goneHosts()).toEqual([]);
});

it('a suspension that ends during its pass ends for all hosts', async () => {
  await changeAndDie(suspend);
  await changeAndDie(resume);
  expect((await goneHosts()).length).toBeGreaterThan(0);
  await passes.publish(user.id);
  expect(await goneHosts()).toEqual([]);
  expect(await area.api.database.query('SELECT FROM standing_passes')).toEqual([]);
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
