import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiParts, TestUser } from '../../http/api.fixture.js';
import { type FollowedRuleset, followRuleset } from '../../publishing/followed-ruleset.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { createTakedownPages, type TakedownPages } from './takedown-pages.js';
import { createTakedownService, type TakedownService } from './takedown-service.js';

const PAGE_SIZE = 100;
/** Two full pages and a part of one. */
const HOSTS = 2.5 * PAGE_SIZE;
const EVIL = 'evil.example';

let area: RedirectsApi;
let user: TestUser;
let pages: TakedownPages;
let takedowns: TakedownService;
/** A control plane that is killed after it has committed a change. */
let dying: TakedownService;
let dataplane: FollowedRuleset;

beforeAll(async () => {
  let parts: ApiParts | undefined;
  area = await startRedirectsApi((given) => {
    parts = given;
    return [];
  });
  const { database, mails, logger } = parts!;
  const outbox = createRulesetOutbox(database);
  pages = createTakedownPages({ database, outbox, logger, pageSize: PAGE_SIZE });
  takedowns = createTakedownService({ outbox, mails, pages });
  dying = createTakedownService({ outbox, mails, pages: { ...pages, publish: async () => {} } });
  user = await area.api.createUser({ plan: 'business' });
  await database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
       sampling_rate, verification_value, verified_at)
     SELECT 'r' || n, $1, 'h' || n || '.example', 'https://' || $3 || '/x', $3, 'permanent', false, false, 1, 'v', now()
     FROM generate_series(1, $2::int) AS n`,
    [user.id, HOSTS, EVIL],
  );
  dataplane = followRuleset(createRulesetRepository(database));
  await dataplane.catchUp();
});
afterAll(() => area.close());

const operator = () =>
  ({ id: user.id, email: 'operator@example.com' }) as Parameters<TakedownService['create']>[0];
const takeDown = (service: TakedownService) =>
  service.create(operator(), { destinationHost: EVIL, reason: 'phishing' });

async function goneHosts(): Promise<string[]> {
  await dataplane.catchUp();
  return dataplane.goneHosts();
}

const head = async () => (await createRulesetRepository(area.api.database).readHead()).seq;

async function sizesOfCommitsSince(seq: number): Promise<number[]> {
  const rows = await area.api.database.query<{ hosts: number }>(
    'SELECT count(*) AS hosts FROM ruleset_changes WHERE seq > $1 GROUP BY commit_id ORDER BY min(seq)',
    [seq],
  );
  return rows.map(({ hosts }) => hosts);
}

it('a takedown is published in bounded commits, and all hosts are gone when it is answered', async () => {
  const before = await head();
  const { takedown, redirects } = await takeDown(takedowns);
  expect(redirects).toBe(HOSTS);
  expect(await sizesOfCommitsSince(before)).toEqual([PAGE_SIZE, PAGE_SIZE, PAGE_SIZE / 2]);
  expect(await goneHosts()).toHaveLength(HOSTS);
  await takedowns.lift(operator(), takedown.id);
  expect(await goneHosts()).toEqual([]);
  expect(await area.api.database.query('SELECT FROM takedown_pages')).toEqual([]);
});

it('a takedown continues after a crash, and a host that is read meanwhile is gone', async () => {
  const { takedown } = await takeDown(dying);
  const published = await goneHosts();
  expect(published).toHaveLength(PAGE_SIZE);
  const unpublished = [...dataplane.redirects.keys()].find((host) => !published.includes(host))!;
  expect(await area.served(unpublished)).toMatchObject({ gone: true });
  const { fromDomain } = await area.createVerified(user.token, {
    fromDomain: 'new.example',
    toDomain: `https://${EVIL}/new`,
  });
  expect(await goneHosts()).toContain(fromDomain);
  await pages.runRound();
  expect(await goneHosts()).toHaveLength(HOSTS + 1);

  await dying.lift(operator(), takedown.id);
  expect(await goneHosts()).toHaveLength(HOSTS + 1 - PAGE_SIZE);
  await takeDown(dying);
  await pages.runRound();
  expect(await goneHosts(), 'a takedown during the pages of its end').toHaveLength(HOSTS + 1);
});
