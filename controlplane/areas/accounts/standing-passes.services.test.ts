import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type FollowedRuleset, followRuleset } from '../../publishing/followed-ruleset.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createRulesetRepository, type RulesetRepository } from '../../publishing/ruleset-repository.js';
import { createBlockedCount } from '../../storage/postgres/blocked-transactions.fixture.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { createStandingPasses, type StandingPasses } from './standing-passes.js';

const PAGE_SIZE = 10;
const HOSTS = 2.5 * PAGE_SIZE;

let area: RedirectsApi;
let user: TestUser;
let passes: StandingPasses;
let repository: RulesetRepository;
let dataplane: FollowedRuleset;

beforeAll(async () => {
  area = await startRedirectsApi();
  const { database } = area.api;
  user = await area.api.createUser({ plan: 'business' });
  repository = createRulesetRepository(database);
  dataplane = followRuleset(repository);
  const logger = pino({ level: 'silent' });
  passes = createStandingPasses({
    database,
    outbox: createRulesetOutbox(database),
    logger,
    pageSize: PAGE_SIZE,
  });
  await database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
       sampling_rate, verification_value, verified_at)
     SELECT 'r' || n, $1, 'h' || lpad(n::text, 3, '0') || '.example', 'https://own.example', 'own.example', 'permanent', false,
       false, 1, 'v', now()
     FROM generate_series(1, $2::int) AS n`,
    [user.id, HOSTS],
  );
});
afterAll(() => area.close());

const suspend = (tx: Queryable) =>
  tx.query("INSERT INTO suspensions (user_id, reason) VALUES ($1, 'spam')", [user.id]);
const resume = (tx: Queryable) => tx.query('DELETE FROM suspensions WHERE user_id = $1', [user.id]);
const beginDeletion = (tx: Queryable) =>
  tx.query('INSERT INTO account_deletions (user_id, erase_at) VALUES ($1, now())', [user.id]);
const restore = (tx: Queryable) => tx.query('DELETE FROM account_deletions WHERE user_id = $1', [user.id]);

/** Changes the standing of the user and publishes the first page, as a control plane that is killed after it. */
const changeAndDie = (change: (tx: Queryable) => Promise<unknown>) =>
  createRulesetOutbox(area.api.database).commit(async (tx, record) => {
    await change(tx);
    await passes.begin(tx, record, user.id);
  });

async function goneHosts(): Promise<string[]> {
  await dataplane.catchUp();
  return dataplane.goneHosts();
}

/** Returns whether visitors of the host get 410 from a data plane that reads it now. */
async function isGone(host: string): Promise<boolean> {
  const [change] = await repository.readHosts([host]);
  return change?.redirect?.gone === true;
}

const LAST_HOST = `h${String(HOSTS).padStart(3, '0')}.example`;

it.each([
  { first: suspend, second: beginDeletion, undo: [resume, restore] },
  { first: beginDeletion, second: suspend, undo: [resume, restore] },
])('two changes of a standing that overlap never serve a host again', async ({ first, second, undo }) => {
  const { database } = area.api;
  // The second change has begun. It waits while the first one is made, answered and published for all hosts.
  const { changing } = await database.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtext('overlap'))");
    const changing = changeAndDie(async (other) => {
      await other.query("SELECT pg_advisory_xact_lock(hashtext('overlap'))");
      await second(other);
    });
    await expect.poll(await createBlockedCount(tx, database)).toBe(1);
    await changeAndDie(first);
    await passes.publish(user.id);
    expect(await goneHosts()).toHaveLength(HOSTS);
    return { changing };
  });
  await changing;
  expect(await isGone(LAST_HOST)).toBe(true);
  await passes.publish(user.id);
  expect(await goneHosts()).toHaveLength(HOSTS);
  for (const step of undo) await changeAndDie(step);
  await passes.publish(user.id);
  expect(await goneHosts()).toEqual([]);
});
