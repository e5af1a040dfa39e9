import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import { PLANS } from '../plans/default-plans.js';
import { createKeptPages } from './kept-pages.js';
import { createRedirectLists } from './redirect-lists.js';
import { currentMonth } from './redirect-record.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

const RANGE = { sort: '-createdAt', limit: 2 } as const;

let area: RedirectsApi;
let user: TestUser;
let ids: string[];
/** Statements that read whole rows. */
let reads: number;
let database: Database;

beforeAll(async () => {
  area = await startRedirectsApi();
  database = {
    ...area.api.database,
    query(sql, params) {
      if (sql.includes('to_domain')) reads += 1;
      return area.api.database.query(sql, params);
    },
  };
});
afterAll(() => area.close());
beforeEach(async () => {
  reads = 0;
  user = await area.api.createUser({ plan: 'business' });
  ids = [];
  for (const name of ['first', 'second', 'third', 'fourth']) {
    const body = { fromDomain: `${name}.${user.id}.example`, toDomain: 'https://new.example' };
    ids.unshift((await area.create(user.token, body)).json.id);
  }
});

it('a page is the same object while nothing in it changes', async () => {
  const read = createKeptPages(database);
  const first = await read(user.id, RANGE);
  expect(first.redirects.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  await area.api.call('DELETE', `/redirects/${ids[3]}`, { token: user.token });
  expect(await Promise.all([read(user.id, RANGE), read(user.id, RANGE)])).toEqual([first, first]);
  expect(await read(user.id, RANGE)).toBe(first);
  expect(reads).toBe(1);
  const next = await read(user.id, { ...RANGE, after: first.next });
  expect(next.redirects.map(({ id }) => id)).toEqual([ids[2]]);
});

it.each([
  [
    'changes',
    () => area.api.call('PATCH', `/redirects/${ids[1]}`, { token: user.token, body: { note: 'New' } }),
  ],
  ['is deleted', () => area.api.call('DELETE', `/redirects/${ids[0]}`, { token: user.token })],
  ['after it is deleted', () => area.api.call('DELETE', `/redirects/${ids[2]}`, { token: user.token })],
  [
    'is created',
    () => area.create(user.token, { fromDomain: `new.${user.id}.example`, toDomain: 'https://a.example' }),
  ],
])('is read again when a redirect %s', async (_, change) => {
  const read = createKeptPages(database);
  const first = await read(user.id, RANGE);
  await change();
  const second = await read(user.id, RANGE);
  expect(second).not.toEqual(first);
  expect(reads).toBe(2);
});

it('differs by user, sort, limit and position', async () => {
  const other = await area.api.createUser();
  const read = createKeptPages(database);
  await read(user.id, RANGE);
  expect((await read(other.id, RANGE)).redirects).toEqual([]);
  expect((await read(user.id, { ...RANGE, limit: 3 })).redirects).toHaveLength(3);
  const oldest = await read(user.id, { ...RANGE, sort: 'createdAt' });
  expect(oldest.redirects.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 2));
});

it('answers show a change at once, and the fields that are asked for', async () => {
  const get = async (query: string) =>
    (await area.api.call('GET', `/redirects?limit=1${query}`, { token: user.token })).json;
  const whole = await get('');
  expect(await get('')).toEqual(whole);
  expect((await get('&fields=id')).data).toEqual([{ id: ids[0] }]);
  expect(await get('')).toEqual(whole);
  await area.api.call('PATCH', `/redirects/${ids[0]}`, { token: user.token, body: { note: 'New' } });
  expect((await get('')).data).toMatchObject([{ id: ids[0], note: 'New' }]);
  expect((await get('&fields=note')).data).toEqual([{ note: 'New' }]);
});

it('an answer is made once for all who ask for it at a time', async () => {
  let made = 0;
  let freshUntilMs = 0;
  let gate = Promise.resolve();
  const readList = createRedirectLists({
    database: area.api.database,
    async recordsOf() {
      made += 1;
      await gate;
      return { records: [], month: currentMonth(), freshUntilMs };
    },
  });
  const caller = { id: user.id, plan: PLANS.business } as CurrentUser;
  const read = () => readList(caller, {}, { log: area.api.app.log, serialize: JSON.stringify });
  await read();
  await read();
  expect(made).toBe(2);
  freshUntilMs = Number.POSITIVE_INFINITY;
  let open: () => void = () => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const asked = [read(), read(), read()];
  await vi.waitUntil(() => made > 2);
  asked.push(read());
  await area.api.database.query('SELECT 1');
  open();
  const bodies = await Promise.all(asked);
  expect(new Set(bodies).size).toBe(1);
  expect(made).toBe(3);
});
