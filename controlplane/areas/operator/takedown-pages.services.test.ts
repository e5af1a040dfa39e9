import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { ApiParts, TestUser } from '../../http/api.fixture.js';
import { type FollowedRuleset, followRuleset } from '../../publishing/followed-ruleset.fixture.js';
import { createRulesetOutbox, type RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import { endOfPathChanges } from '../../publishing/taken-down.js';
import { createBlockedCount } from '../../storage/postgres/blocked-transactions.fixture.js';
import { createPathRoutes } from '../paths/path-routes.js';
import { createPathService } from '../paths/path-service.js';
import { createPathTest } from '../paths/path-test.js';
import { type RulesApi, startRulesApi } from '../rules/rules-api.fixture.js';
import { createTakedownPages, type TakedownPages } from './takedown-pages.js';
import { createTakedownService, type TakedownService } from './takedown-service.js';

let area: RulesApi;
let user: TestUser;
let outbox: RulesetOutbox;
let pages: TakedownPages;
let takedowns: TakedownService;
let dataplane: FollowedRuleset;

beforeAll(async () => {
  let parts: ApiParts | undefined;
  area = await startRulesApi({
    areas(given) {
      parts = given;
      const { database, redirects } = given;
      const deps = { database, outbox: createRulesetOutbox(database), redirects };
      const test = createPathTest({ ...deps, guard: createRegexGuard() });
      return [createPathRoutes({ service: createPathService(deps), test, hitsOf: async () => new Map() })];
    },
  });
  const { database, mails, logger } = parts!;
  outbox = createRulesetOutbox(database);
  pages = createTakedownPages({ database, outbox, logger, pageSize: 10 });
  takedowns = createTakedownService({ outbox, mails, pages });
  user = await area.api.createUser({ plan: 'business' });
  dataplane = followRuleset(createRulesetRepository(database));
});
afterAll(() => area.close());

const takeDown = (destinationHost: string) =>
  takedowns.create(
    { id: user.id, email: 'operator@example.com' } as Parameters<TakedownService['create']>[0],
    { destinationHost, reason: 'phishing' },
  );

async function isGone(host: string): Promise<boolean> {
  await dataplane.catchUp();
  expect(dataplane.redirects.has(host)).toBe(true);
  return dataplane.redirects.get(host)?.gone === true;
}

it.each([
  { log: 'the log reaches back', trim: false },
  { log: 'the log was trimmed', trim: true },
])('a redirect that is created while a takedown searches is taken down, and $log', async ({ trim }) => {
  const destinationHost = `search-${trim}.example`;
  const { database } = area.api;
  const found = await outbox.commit(async (tx, record) => {
    const [takedown] = await tx.query<{ id: string; host: null; destinationHost: string }>(
      `INSERT INTO takedowns (id, destination_host, reason, created_by) VALUES ($1, $1, 'r', 'operator')
       RETURNING id, host, destination_host AS "destinationHost"`,
      [destinationHost],
    );
    const before = await pages.find(tx, takedown!);
    const { host } = await area.createRedirect(user, { toDomain: `https://${destinationHost}/x` });
    expect(await isGone(host)).toBe(false);
    if (trim) await createRulesetRepository(database).trimChanges(0);
    await pages.begin({ tx, record, takedown: takedown! }, before);
    return { host, count: before.affected.length };
  });
  expect(found.count).toBe(0);
  expect(await isGone(found.host)).toBe(true);
});

it('a path that is added while a destination is taken down makes its redirect gone', async () => {
  const { database } = area.api;
  const { id, host } = await area.createRedirect(user);
  const addPath = (source: string, destination: string) =>
    area.api.call('POST', `/redirects/${id}/paths`, { token: user.token, body: { source, destination } });
  expect((await addPath('/first', 'https://fine.example/')).status).toBe(201);
  const { adding, takingDown } = await database.transaction(async (tx) => {
    const blocked = await createBlockedCount(tx, database);
    // The change has stored its paths, and waits for the table of versions.
    await tx.query('LOCK TABLE redirect_versions IN SHARE MODE');
    const adding = addPath('/second', 'https://paths.example/');
    await expect.poll(blocked).toBe(1);
    const takingDown = takeDown('paths.example');
    await expect
      .poll(() => database.query("SELECT FROM takedowns WHERE destination_host = 'paths.example'"))
      .toHaveLength(1);
    return { adding, takingDown };
  });
  expect((await adding).status).toBe(201);
  const { takedown } = await takingDown;
  expect(await isGone(host)).toBe(true);
  expect(await database.query('SELECT FROM takedown_pages WHERE takedown_id = $1', [takedown.id])).toEqual(
    [],
  );
});

it('a change of paths does not wait until a takedown has searched', async () => {
  const { id } = await area.createRedirect(user);
  const added = await area.api.database.transaction(async (tx) => {
    await endOfPathChanges(tx);
    const body = { source: '/third', destination: 'https://fine.example/' };
    return area.api.call('POST', `/redirects/${id}/paths`, { token: user.token, body });
  });
  expect(added.status).toBe(201);
});
