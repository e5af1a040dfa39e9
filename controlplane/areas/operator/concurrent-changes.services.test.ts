import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../../shared/process/seeded-random.fixture.js';
import type { ApiParts, TestUser } from '../../http/api.fixture.js';
import { type FollowedRuleset, followRuleset } from '../../publishing/followed-ruleset.fixture.js';
import { createRulesetOutbox, type RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository, type RulesetRepository } from '../../publishing/ruleset-repository.js';
import { createStandingPasses, type StandingPasses } from '../accounts/public.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { createTakedownPages } from './takedown-pages.js';
import { createTakedownService, type TakedownService } from './takedown-service.js';

/** A small page size: most changes of many hosts then have several pages. */
const PAGE_SIZE = 3;
const CLIENTS = 8;
const STEPS = 25;
const DESTINATIONS = ['one.example', 'two.example', 'three.example'];

let area: RedirectsApi;
let outbox: RulesetOutbox;
let users: TestUser[];
let passes: StandingPasses;
let takedowns: TakedownService;
let repository: RulesetRepository;
let dataplane: FollowedRuleset;

beforeAll(async () => {
  let parts: ApiParts | undefined;
  area = await startRedirectsApi((given) => {
    parts = given;
    return [];
  });
  const { database, mails, logger } = parts!;
  outbox = createRulesetOutbox(database);
  const deps = { database, outbox, logger, pageSize: PAGE_SIZE };
  passes = createStandingPasses(deps);
  takedowns = createTakedownService({ outbox, mails, pages: createTakedownPages(deps) });
  users = [
    await area.api.createUser({ plan: 'business' }),
    await area.api.createUser({ plan: 'business' }),
    await area.api.createUser({ plan: 'business' }),
  ];
  repository = createRulesetRepository(database);
  dataplane = followRuleset(repository);
});
afterAll(() => area.close());

async function changeStanding(userId: string, sql: string): Promise<void> {
  await outbox.commit(async (tx, record) => {
    await tx.query(sql, [userId]);
    await passes.begin(tx, record, userId);
  });
  await passes.publish(userId);
}

const STANDINGS = [
  "INSERT INTO suspensions (user_id, reason) VALUES ($1, 'spam') ON CONFLICT DO NOTHING",
  'DELETE FROM suspensions WHERE user_id = $1',
  'INSERT INTO account_deletions (user_id, erase_at) VALUES ($1, now()) ON CONFLICT DO NOTHING',
  'DELETE FROM account_deletions WHERE user_id = $1',
];

const operator = () =>
  ({ id: users[0]!.id, email: 'operator@example.com' }) as Parameters<TakedownService['create']>[0];

/** Takes a destination down, or lifts its takedown. Another client may do the same at the moment. */
async function toggleTakedown(destinationHost: string): Promise<void> {
  const [active] = await area.api.database.query<{ id: string }>(
    'SELECT id FROM takedowns WHERE destination_host = $1 AND lifted_at IS NULL',
    [destinationHost],
  );
  const change =
    active === undefined
      ? takedowns.create(operator(), { destinationHost, reason: 'r' })
      : takedowns.lift(operator(), active.id);
  await change.catch((error: { code?: string }) => {
    expect(['VALIDATION_ERROR', 'NOT_FOUND']).toContain(error.code);
  });
}

async function runClient(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const among = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const call = (token: string, method: string, url: string, body?: object) =>
    area.api.call(method, url, { token, ...(body && { body }) });
  for (let step = 0; step < STEPS; step += 1) {
    const user = among(users);
    const toDomain = `https://${among(DESTINATIONS)}/x`;
    const rows = await area.api.database.query<{ id: string }>(
      'SELECT id FROM redirects WHERE user_id = $1 AND deleted_at IS NULL',
      [user.id],
    );
    const id = rows.length === 0 ? undefined : among(rows).id;
    const choice = random();
    if (choice < 0.35 || id === undefined) {
      const fromDomain = `h${seed}-${step}.localhost`;
      await call(user.token, 'POST', '/redirects', { fromDomain, toDomain });
    } else if (choice < 0.55) await call(user.token, 'PATCH', `/redirects/${id}`, { toDomain });
    else if (choice < 0.65) await call(user.token, 'DELETE', `/redirects/${id}`);
    else if (choice < 0.7) await call(user.token, 'PATCH', `/redirects/${id}`, { enabled: random() < 0.5 });
    else if (choice < 0.85) await changeStanding(user.id, among(STANDINGS));
    else await toggleTakedown(among(DESTINATIONS));
  }
}

it('after random concurrent changes a data plane serves what the database says', async () => {
  await dataplane.catchUp();
  let isOver = false;
  const following = (async () => {
    while (!isOver) await dataplane.catchUp();
  })();
  try {
    await Promise.all(Array.from({ length: CLIENTS }, (_, at) => runClient(at + 1)));
  } finally {
    isOver = true;
    await following;
  }
  await dataplane.catchUp();
  const { redirects } = await readSnapshot(repository);
  expect(redirects.length).toBeGreaterThan(10);
  const byHost = (a: { host: string }, b: { host: string }) => (a.host < b.host ? -1 : 1);
  expect([...dataplane.redirects.values()].sort(byHost)).toEqual([...redirects].sort(byHost));
  expect(await area.api.database.query('SELECT FROM standing_passes')).toEqual([]);
  expect(await area.api.database.query('SELECT FROM takedown_pages')).toEqual([]);
});
