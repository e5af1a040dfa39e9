import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../../errors/app-error.js';
import type { TestUser } from '../../../http/api.fixture.js';
import { createRulesetOutbox } from '../../../publishing/ruleset-outbox.js';
import { createBlockedCount } from '../../../storage/postgres/blocked-transactions.fixture.js';
import { createRedirectService, type RedirectService } from '../redirect-service.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects-api.fixture.js';

const COUNT = 60;
const toDomain = 'https://new.example';

let area: RedirectsApi;
let user: TestUser;
/** The service of another control plane on the same database. */
let service: RedirectService;

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  const { database } = area.api;
  service = createRedirectService({
    database,
    outbox: createRulesetOutbox(database),
  });
});
afterAll(() => area.close());

async function bulk(operations: readonly object[]): Promise<number> {
  const url = '/redirects/bulk?mode=best_effort';
  const { status } = await area.api.call('POST', url, { token: user.token, body: { operations } });
  return status;
}

/** Deletes one after another, each in a separate transaction. */
async function deleteAll(ids: readonly string[]): Promise<void> {
  for (const id of ids) await deleteOne(id);
}

/** Deletes a redirect that another request may delete at the same time. */
async function deleteOne(id: string): Promise<void> {
  const current = { id: user.id } as Parameters<RedirectService['delete']>[0];
  try {
    await service.delete(current, id);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
  }
}

it('bulks and deletions in any order at the same time do not deadlock', async () => {
  const creations = Array.from({ length: COUNT }, (_, at) => ({ fromDomain: `old-${at}.example`, toDomain }));
  expect(await bulk(creations)).toBe(200);
  const { json } = await area.api.call('GET', '/get-redirects/me', { token: user.token });
  const ids: string[] = json.map(({ id }: { id: string }) => id);
  const mixed = (order: readonly string[], name: string) =>
    order.flatMap((id, at) => [
      { fromDomain: `${name}-${at}.example`, toDomain },
      { op: 'delete', id },
    ]);
  const other = await area.api.createUser({ plan: 'business' });
  const [first, second, third] = await Promise.all([
    bulk(mixed(ids, 'first')),
    bulk(mixed(ids.toReversed(), 'second')),
    area.api.call('POST', '/redirects/bulk', {
      token: other.token,
      body: { operations: mixed([], 'other').concat({ fromDomain: 'other.example', toDomain }) },
    }),
    deleteAll(ids.toReversed()),
  ]);
  expect([first, second, third.status]).toEqual([200, 200, 200]);
  const [row] = await area.api.database.query<{ counted: number; live: number }>(
    `SELECT redirect_count AS counted, (SELECT count(*)::int FROM redirects WHERE user_id = users.id AND deleted_at IS NULL) AS live
     FROM users WHERE id = $1`,
    [user.id],
  );
  expect(row).toEqual({ counted: 2 * COUNT, live: 2 * COUNT });
});

it('a bulk that PostgreSQL ends because of a deadlock is run again', async () => {
  const { database } = area.api;
  const [low, high] = ['deadlock-1.example', 'deadlock-2.example'];
  expect(await bulk([low, high].map((fromDomain) => ({ fromDomain, toDomain })))).toBe(200);
  const ids = await database.query<{ id: string }>(
    'SELECT id FROM redirects WHERE from_domain = ANY ($1) ORDER BY id',
    [[low, high]],
  );
  const [first, last] = ids.map(({ id }) => id);
  const lock = 'SELECT id FROM redirects WHERE id = $1 FOR UPDATE';
  let answered: Promise<number> | undefined;
  await database.transaction(async (tx) => {
    // PostgreSQL ends the transaction whose timeout expires first.
    await tx.query("SET LOCAL deadlock_timeout = '60s'");
    await tx.query(lock, [last]);
    answered = bulk([low, high].map((fromDomain) => ({ op: 'update', fromDomain, note: 'changed' })));
    await expect.poll(await createBlockedCount(tx, database)).toBeGreaterThan(0);
    await tx.query(lock, [first]);
  });
  expect(await answered).toBe(200);
  const changed = await database.query("SELECT FROM redirects WHERE id = ANY ($1) AND note = 'changed'", [
    [first, last],
  ]);
  expect(changed).toHaveLength(2);
});
