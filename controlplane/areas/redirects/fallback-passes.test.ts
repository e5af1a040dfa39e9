import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import { PAGE_SIZE, type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

/** Two full pages and a part of one. */
const HOSTS = 2.5 * PAGE_SIZE;
const OLD = 'https://old.example';
const NEW = 'https://new.example';

let area: RedirectsApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  await area.api.database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
       sampling_rate, verification_value, verified_at, enabled)
     SELECT 'r' || n, $1, 'h' || n || '.example', 'https://own.example', 'own.example', 'permanent', false, false, 1, 'v',
       now(), false
     FROM generate_series(1, $2::int) AS n`,
    [user.id, HOSTS],
  );
});
afterAll(() => area.close());

const setFallback = (url: string | null) =>
  area.api.call('PUT', '/user/fallback', { token: user.token, body: { url } });

/** Stores a fallback and publishes its first page, as a control plane that is killed after it. */
const setAndDie = (url: string | null, before: string | null) =>
  createRulesetOutbox(area.api.database).commit(async (tx, record) => {
    await tx.query('DELETE FROM user_fallbacks WHERE user_id = $1', [user.id]);
    if (url !== null) {
      await tx.query('INSERT INTO user_fallbacks (user_id, url, host) VALUES ($1, $2, $3)', [
        user.id,
        url,
        new URL(url).host,
      ]);
    }
    await area.passes.begin(tx, record, user.id, before);
  });

async function commitsSince(seq: number): Promise<string[][]> {
  const rows = await area.api.database.query<{ hosts: string[] }>(
    'SELECT array_agg(host) AS hosts FROM ruleset_changes WHERE seq > $1 GROUP BY commit_id ORDER BY min(seq)',
    [seq],
  );
  return rows.map(({ hosts }) => hosts);
}

const head = async () =>
  (
    await area.api.database.query<{ seq: number; removals: number }>('SELECT seq, removals FROM ruleset_head')
  )[0]!;

/** Returns the number of hosts by the URL that they are served with. */
async function served(): Promise<Record<string, number>> {
  const { redirects } = await readSnapshot(createRulesetRepository(area.api.database));
  const counts: Record<string, number> = {};
  for (const { destination } of redirects) counts[destination] = (counts[destination] ?? 0) + 1;
  return counts;
}

it('a fallback of many hosts is published in bounded commits, and answered when all have it', async () => {
  const { seq } = await head();
  expect((await setFallback(OLD)).json).toEqual({ url: OLD });
  const commits = await commitsSince(seq);
  expect(commits.map((hosts) => hosts.length)).toEqual([PAGE_SIZE, PAGE_SIZE, PAGE_SIZE / 2]);
  expect(new Set(commits.flat()).size).toBe(HOSTS);
  expect(await served()).toEqual({ [OLD]: HOSTS });
});

it('hosts that were not published before a crash have the URL from before until the next round', async () => {
  const { seq } = await head();
  await setAndDie(NEW, OLD);
  const [published = []] = await commitsSince(seq);
  expect(published).toHaveLength(PAGE_SIZE);
  expect(await served()).toEqual({ [NEW]: PAGE_SIZE, [OLD]: HOSTS - PAGE_SIZE });
  expect(await area.served(published[0]!)).toMatchObject({ afterEnd: { url: NEW } });

  await area.passes.runRound();
  expect(await served()).toEqual({ [NEW]: HOSTS });
  expect((await commitsSince(seq)).flat()).toHaveLength(HOSTS);
});

it('a change during a pass follows it, and a redirect disabled meanwhile is served as its neighbours are', async () => {
  await area.createVerified(user.token, { fromDomain: 'h9z.example', toDomain: 'https://own.example' });
  await setAndDie(OLD, NEW);
  const [{ id } = { id: '' }] = await area.api.database.query<{ id: string }>(
    "SELECT id FROM redirects WHERE from_domain = 'h9z.example'",
  );
  await area.api.call('PATCH', `/redirects/${id}`, { token: user.token, body: { enabled: false } });
  expect(await area.served('h9z.example')).toMatchObject({ destination: NEW });
  expect((await setFallback('https://third.example')).status).toBe(200);
  expect(await served()).toEqual({ 'https://third.example': HOSTS + 1 });
});

it('a removed fallback counts each host as removed once, also across a crash', async () => {
  const { removals } = await head();
  await setAndDie(null, 'https://third.example');
  expect(await served()).toEqual({ 'https://third.example': HOSTS + 1 - PAGE_SIZE });
  expect((await head()).removals - removals).toBe(PAGE_SIZE);
  await area.passes.runRound();
  expect(await served()).toEqual({});
  expect((await head()).removals - removals).toBe(HOSTS + 1);
});

it('a takedown of the URL from before reaches the hosts that still have it', async () => {
  await setFallback(OLD);
  await setAndDie(NEW, OLD);
  await area.api.database.query(
    "INSERT INTO takedowns (id, destination_host, reason, created_by) VALUES ('t', 'old.example', 'r', $1)",
    [user.id],
  );
  const { redirects } = await readSnapshot(createRulesetRepository(area.api.database));
  expect(redirects.filter(({ gone }) => gone === true)).toHaveLength(HOSTS + 1 - PAGE_SIZE);
});
