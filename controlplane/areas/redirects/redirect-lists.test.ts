import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { encodeCursor } from './list-cursor.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;
/** In the order of creation. */
const made: { id: string; fromDomain: string }[] = [];

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  const other = await area.api.createUser({ plan: 'business' });
  await area.create(other.token, {
    fromDomain: 'other.example',
    toDomain: 'https://shop.example',
    tags: ['a'],
  });
  for (let i = 0; i < 7; i += 1) {
    const { json } = await area.create(user.token, {
      // In another order than the one of creation.
      fromDomain: `${'dbfacge'[i]}.example`,
      toDomain: i === 2 ? 'https://Shop.example/50%_off' : 'https://new.example',
      tags: i % 2 === 0 ? ['even', `n${i}`] : [],
      note: i === 3 ? 'For the SHOP' : '',
      ...(i === 4 && { externalId: 'crm-Shop-4' }),
      ...(i === 5 && { enabled: false }),
    });
    made.push(json);
  }
  for (const { verification, fromDomain } of (await list('')).data.slice(0, 3)) {
    area.dns.setTxt(verification.name, [verification.value]);
    await area.api.call('POST', '/verify-domain', { token: user.token, body: { domain: fromDomain } });
  }
});
afterAll(() => area.close());

const call = (query: string) => area.api.call('GET', `/redirects${query}`, { token: user.token });

async function list(query: string) {
  const answer = await call(query);
  expect(answer.status).toBe(200);
  return answer.json;
}

const domainsOf = (data: readonly { fromDomain: string }[]) =>
  data.map(({ fromDomain }) => fromDomain[0]).join('');

/** Reads all pages. @param between runs after each page */
async function pages(query: string, between = async () => {}): Promise<string> {
  let domains = '';
  for (let cursor = ''; ; ) {
    const { data, page } = await list(`?limit=2&${query}${cursor}`);
    expect(data.length).toBeLessThanOrEqual(2);
    domains += domainsOf(data);
    if (page.nextCursor === null) return domains;
    cursor = `&cursor=${page.nextCursor}`;
    await between();
  }
}

describe('the list of redirects', () => {
  test('has the records, newest first, with the defaults', async () => {
    const { data, page, ...rest } = await list('');
    expect(page).toEqual({ limit: 50, nextCursor: null });
    expect(rest).toEqual({});
    expect(data.map(({ id }: { id: string }) => id)).toEqual(made.map(({ id }) => id).reverse());
    expect(data).toEqual((await area.api.call('GET', '/get-redirects/me', { token: user.token })).json);
  });

  test.each([
    ['', 'egcafbd'],
    ['sort=createdAt', 'dbfacge'],
    ['sort=fromDomain', 'abcdefg'],
    ['sort=-fromDomain', 'gfedcba'],
    ['sort=updatedAt&verified=false', 'dbfa'],
    ['search=shop', 'caf'],
    ['search=EXAMPLE', 'egcafbd'],
    ['search=EXAMPLE&sort=fromDomain', 'abcdefg'],
    ['search=SHOP-4', 'c'],
    ['search=%25_o', 'f'],
    ['search=_', 'f'],
    ['search=%5C', ''],
    ['search=b.exam', 'b'],
    ['tag=even', 'ecfd'],
    ['tag=n4', 'c'],
    ['status=active', 'ec'],
    ['status=disabled', 'g'],
    ['status=pending', 'afbd'],
    ['verified=true&tag=even', 'ec'],
  ])('in pages by %s is %s', async (query, domains) => {
    expect(await pages(query)).toBe(domains);
  });

  test('stays stable while others are created and deleted', async () => {
    const domains = await pages('sort=-createdAt', async () => {
      const body = { fromDomain: `z${Math.random()}.example`, toDomain: 'https://new.example' };
      const { json } = await area.create(user.token, body);
      await area.api.call('DELETE', `/redirects/${json.id}`, { token: user.token });
      await area
        .create(user.token, body)
        .then(({ json: again }) => area.api.call('DELETE', `/redirects/${again.id}`, { token: user.token }));
    });
    expect(domains).toBe('egcafbd');
  });

  test('counts what the filter selects', async () => {
    expect(await list('?count=true&limit=1')).toMatchObject({
      total: 7,
      facets: {
        status: { active: 2, disabled: 1, pending: 4 },
        tags: { even: 4, n0: 1, n2: 1, n4: 1, n6: 1 },
      },
    });
    expect(await list('?count=true&tag=even&verified=true')).toMatchObject({
      total: 2,
      facets: { status: { active: 2 }, tags: { even: 2, n4: 1, n6: 1 } },
    });
  });

  test('shows the fields that are asked for', async () => {
    area.failUsage(true);
    expect((await list('?fields=id,%20tags&limit=1')).data).toEqual([
      { id: made[6]?.id, tags: ['even', 'n6'] },
    ]);
    area.failUsage(false);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['sort=note', 'sort'],
    ['status=gone', 'status'],
    ['verified=yes', 'verified'],
    ['fields=id,secret', 'fields'],
    ['search=', 'search'],
    ['page=2', 'page'],
    ['cursor=x', 'cursor'],
    ['cursor=', 'cursor'],
  ])('refuses %s', async (query, field) => {
    expect(await call(`?${query}`)).toMatchObject({
      status: 400,
      json: { error: { code: 'INVALID_REQUEST', field } },
    });
  });

  test('refuses cursors of another order, altered ones, and forged ones', async () => {
    const { page } = await list('?limit=2');
    const refused = { status: 400, json: { error: { code: 'INVALID_REQUEST', field: 'cursor' } } };
    expect(await call(`?sort=fromDomain&cursor=${page.nextCursor}`)).toMatchObject(refused);
    for (let at = 0; at < page.nextCursor.length; at += 1) {
      const other = page.nextCursor[at] === 'A' ? 'B' : 'A';
      const altered = page.nextCursor.slice(0, at) + other + page.nextCursor.slice(at + 1);
      expect(await call(`?cursor=${altered}`)).toMatchObject(refused);
    }
    const forged = encodeCursor('-createdAt', { key: 'now', id: 'x' });
    expect(await call(`?cursor=${forged}`)).toMatchObject(refused);
    const farAway = encodeCursor('-createdAt', { key: '9'.repeat(17), id: 'x' });
    expect((await call(`?cursor=${farAway}`)).status).toBe(200);
  });
});

describe('the list of deleted redirects', () => {
  test('has those of the user that can be restored, the last deleted first', async () => {
    const owner = await area.api.createUser({ plan: 'business' });
    const answer = async (method: 'GET' | 'POST' | 'DELETE', path: string) =>
      (await area.api.call(method, path, { token: owner.token })).json;
    const [a, b, c] = await Promise.all(
      ['del-a', 'del-b', 'del-c'].map(
        async (name) =>
          (await area.create(owner.token, { fromDomain: `${name}.example`, toDomain: 'https://n.example' }))
            .json.id,
      ),
    );
    for (const id of [b, a, c]) await answer('DELETE', `/redirects/${id}`);
    const old = "now() - interval '30 days'";
    await area.api.database.query(
      `UPDATE redirects SET deleted_at = ${old}, updated_at = ${old} WHERE id = $1`,
      [b],
    );

    const { data, page } = await answer('GET', '/redirects?deleted=true');
    expect(data.map(({ id }: { id: string }) => id)).toEqual([c, a]);
    expect(page.nextCursor).toBeNull();
    const [{ deletedAt, restorableUntil, updatedAt }] = data;
    expect(deletedAt).toBe(updatedAt);
    expect(Date.parse(restorableUntil) - Date.parse(deletedAt)).toBe(30 * 24 * 60 * 60 * 1_000);
    expect(
      await answer('GET', '/redirects?deleted=true&search=DEL-A&fields=id,deletedAt&count=true'),
    ).toEqual({
      data: [{ id: a, deletedAt: expect.any(String) }],
      page: { limit: 50, nextCursor: null },
      total: 1,
      facets: { status: { pending: 1 }, tags: {} },
    });
    const first = await answer('GET', '/redirects?deleted=true&limit=1');
    const second = await answer('GET', `/redirects?deleted=true&limit=1&cursor=${first.page.nextCursor}`);
    expect([first, second].map(({ data }) => data[0].id)).toEqual([c, a]);
    expect((await answer('GET', '/redirects')).data).toEqual([]);

    await answer('POST', `/redirects/${c}/restore`);
    expect((await answer('GET', '/redirects?deleted=true')).data.map(({ id }: { id: string }) => id)).toEqual(
      [a],
    );
    const [live] = (await answer('GET', '/redirects?deleted=false')).data;
    expect(live).toMatchObject({ id: c });
    expect(live).not.toHaveProperty('deletedAt');
  });
});

test('a long list finds what is frequent, what is rare, and what is frequent far from its start', async () => {
  const owner = await area.api.createUser({ plan: 'business' });
  await area.api.database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
       sampling_rate, verification_value, created_at, tags, note)
     SELECT 'long' || i, $1, 'long' || i || '.example', 'https://new.example', 'new.example', 'permanent', false, false, 1, 'v',
       now() - make_interval(secs => i), CASE WHEN i > 3100 THEN '{far}' ELSE '{}' END::text[],
       CASE WHEN i BETWEEN 8000 AND 8002 THEN 'rare' ELSE '' END
     FROM generate_series(1, 9000) AS i`,
    [owner.id],
  );
  const idsOf = async (query: string) => {
    const { json } = await area.api.call('GET', `/redirects?${query}`, { token: owner.token });
    return [json.data.map(({ id }: { id: string }) => Number(id.slice(4))), json.page.nextCursor];
  };
  expect((await idsOf('search=new.example&limit=2'))[0]).toEqual([1, 2]);
  expect((await idsOf('tag=far&limit=2'))[0]).toEqual([3101, 3102]);
  expect((await idsOf('tag=far&limit=2&sort=createdAt'))[0]).toEqual([9000, 8999]);
  const [first, cursor] = await idsOf('search=RARE&limit=2');
  expect(first).toEqual([8000, 8001]);
  expect(await idsOf(`search=RARE&limit=2&cursor=${cursor}`)).toEqual([[8002], null]);
  expect(await idsOf('search=nowhere')).toEqual([[], null]);
});
