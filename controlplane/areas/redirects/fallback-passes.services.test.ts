import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { createBlockedCount } from '../../storage/postgres/blocked-transactions.fixture.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  const { json } = await area.api.call('POST', '/redirects', {
    token: user.token,
    body: { fromDomain: 'pass.localhost', toDomain: 'https://own.example' },
  });
  await setEnabled(json.id, false);
});
afterAll(() => area.close());

const setEnabled = (id: string, enabled: boolean) =>
  area.api.call('PATCH', `/redirects/${id}`, { token: user.token, body: { enabled } });
const setFallback = (url: string) =>
  area.api.call('PUT', '/user/fallback', { token: user.token, body: { url } });
const numberOfChanges = async () =>
  (await area.changedHosts()).filter((host) => host === 'pass.localhost').length;

/** Waits until `count` transactions wait for `tx`, or for one that waits for it. */
async function waitForLocks(tx: Queryable, count: number): Promise<void> {
  await expect.poll(await createBlockedCount(tx, area.api.database)).toBe(count);
}

const beginPass = () =>
  area.api.database.query(
    "INSERT INTO fallback_passes (user_id, url_before, url_after) VALUES ($1, NULL, 'https://old.example')",
    [user.id],
  );

it('a change of the fallback while the last page of another one commits is published too', async () => {
  const { database } = area.api;
  expect((await setFallback('https://old.example')).status).toBe(200);
  await beginPass();
  const before = await numberOfChanges();
  const { page, change } = await database.transaction(async (tx) => {
    await tx.query('SELECT FROM ruleset_head FOR UPDATE');
    const page = area.passes.runRound();
    await waitForLocks(tx, 1);
    const change = setFallback('https://new.example');
    await waitForLocks(tx, 2);
    return { page, change };
  });
  await page;
  expect((await change).status).toBe(200);
  expect((await numberOfChanges()) - before, 'one for each pass').toBe(2);
  expect(await area.served('pass.localhost')).toMatchObject({ destination: 'https://new.example' });
});

it('many requests that publish one pass leave connections to others', async () => {
  const { database } = area.api;
  expect((await setFallback('https://old.example')).status).toBe(200);
  await beginPass();
  const requests = await database.transaction(async (tx) => {
    await tx.query('SELECT FROM ruleset_head FOR UPDATE');
    const requests = Array.from({ length: 20 }, () => area.passes.publish(user.id));
    await waitForLocks(tx, 1);
    expect(
      await Promise.all(Array.from({ length: 20 }, () => database.query('SELECT 1 AS one'))),
    ).toHaveLength(20);
    return requests;
  });
  await Promise.all(requests);
  expect(await database.query('SELECT FROM fallback_passes')).toEqual([]);
});
