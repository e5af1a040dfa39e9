import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { userRepository } from '../accounts/user-repository.js';
import type { ListPosition } from './list-cursor.js';
import { countRedirects } from './redirect-counts.js';
import { redirectRepository } from './redirect-repository.js';
import {
  type RedirectFilter,
  redirectSearch,
  type SearchBounds,
  type SearchedPage,
  type Sort,
} from './redirect-search.js';
import { REDIRECT_STATUSES, type RedirectStatus, statusOf } from './redirect-status.js';

const USER = 'many';
const REDIRECTS = 60;
const LIMIT = 4;
/** With these bounds, every step of a search has too few rows for most of the lists. */
const SMALL: SearchBounds = { indexTimeoutMs: 60_000, readFirst: 5, sorted: 3, readPerPage: 7 };
const WITH_INDEXES: SearchBounds = { ...SMALL, sorted: 1_000 };

let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase();
  for (const id of [USER, 'other']) {
    await userRepository.insert(test.database, { id, email: `${id}@users.example` });
    // Each three were created in the same microsecond. Some filters match only the last rows.
    await test.database.query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
         sampling_rate, verification_value, created_at, updated_at, verified_at, tags, enabled, health)
       SELECT $1 || i, $1, $1 || '-d' || (i * 7) % 64 || '.example', 'https://new.example/' || CASE WHEN i < 3 THEN 'old zq' ELSE 'a' END,
         'new.example', 'permanent', false, false, 1, 'value', '2026-01-01'::timestamptz + make_interval(secs => i / 3),
         '2026-01-02'::timestamptz + make_interval(secs => (i * 11) % 60), CASE WHEN i % 10 <> 0 THEN now() END,
         CASE WHEN i < 20 THEN ARRAY['early'] ELSE '{}' END, i % 9 <> 0, CASE WHEN i = 1 THEN 'broken' ELSE 'unknown' END
       FROM generate_series(1, $2::int) i`,
      [id, REDIRECTS],
    );
  }
});
afterAll(() => test.close());

async function readPages(filter: RedirectFilter, sort: Sort, bounds: SearchBounds): Promise<SearchedPage[]> {
  const pages: SearchedPage[] = [];
  let after: ListPosition | undefined;
  do {
    const page = await redirectSearch.page(test.database, USER, filter, {
      sort,
      limit: LIMIT,
      after,
      bounds,
    });
    pages.push(page);
    after = page.next;
  } while (after !== undefined);
  return pages;
}

const idsOf = (pages: readonly SearchedPage[]) =>
  pages.flatMap(({ redirects }) => redirects.map(({ id }) => id));

const filters: readonly RedirectFilter[] = [
  { search: 'q' },
  { search: 'zq' },
  { search: 'old zq' },
  { search: 'example' },
  { search: 'example/old' },
  { search: 'nowhere' },
  { tag: 'early' },
  { tag: 'none' },
  { status: 'pending' },
  { status: 'disabled', search: 'd' },
  { status: 'active', tag: 'early' },
  { verified: false },
  { verified: true },
  { health: 'broken' },
  { health: 'unknown', search: 'zq' },
];
const sorts: readonly Sort[] = ['-createdAt', 'createdAt', '-updatedAt', 'fromDomain', '-fromDomain'];

it.each(filters)(
  'pages of %o have all matches once and in order, whichever step finds them',
  async (filter) => {
    for (const sort of sorts) {
      // With the default bounds, the first step reads the whole list.
      const [whole] = [await redirectSearch.page(test.database, USER, filter, { sort, limit: 200 })];
      const wanted = whole.redirects.map(({ id }) => id);
      expect(whole.next).toBeUndefined();
      for (const bounds of [SMALL, WITH_INDEXES]) {
        const pages = await readPages(filter, sort, bounds);
        expect(idsOf(pages), sort).toEqual(wanted);
        expect(Math.max(...pages.map(({ redirects }) => redirects.length))).toBeLessThanOrEqual(LIMIT);
      }
    }
  },
);

it('a filter with few matches reads a bounded number of rows for each page', async () => {
  const pages = await readPages({ search: 'zq' }, '-createdAt', SMALL);
  // 12 rows for the first page, 7 for each further one. The matches are the last of 60.
  expect(pages.map(({ redirects }) => redirects.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 2]);
});

it('the indexes fill a page at once that the first rows do not fill', async () => {
  const pages = await readPages({ tag: 'early' }, '-createdAt', WITH_INDEXES);
  expect(pages.map(({ redirects }) => redirects.length)).toEqual([4, 4, 4, 4, 3]);
});

it.each(filters)('counts of %o are those of the whole list, or say that they are limited', async (filter) => {
  const whole = await redirectSearch.page(test.database, USER, filter, { sort: '-createdAt', limit: 200 });
  const statuses = whole.redirects.map((redirect) => statusOf(redirect, Date.now()));
  const numberOf = (status: RedirectStatus) => statuses.filter((other) => other === status).length;
  const exact = await countRedirects(test.database, USER, filter);
  expect(exact).not.toHaveProperty('countLimit');
  expect(exact.total).toBe(statuses.length);
  for (const status of REDIRECT_STATUSES) expect(exact.facets.status[status] ?? 0).toBe(numberOf(status));

  const limited = await countRedirects(test.database, USER, filter, { rows: 7, indexTimeoutMs: 60_000 });
  expect(limited.total).toBe(Object.values(limited.facets.status).reduce((sum, count) => sum + count, 0));
  if (limited.countLimit === undefined) expect(limited).toEqual(exact);
  else expect(limited.total).toBeLessThanOrEqual(exact.total);
});

it('a count reads a bounded number of rows, and takes few matches and all redirects from what is known of them', async () => {
  const bounds = { rows: 7, indexTimeoutMs: 60_000 };
  const count = (filter: RedirectFilter) => countRedirects(test.database, USER, filter, bounds);
  expect(await count({})).toMatchObject({
    total: REDIRECTS,
    facets: { status: { active: 6, pending: 1 } },
    countLimit: 7,
  });
  expect(await count({ search: 'q' })).toEqual({ total: 0, facets: { status: {}, tags: {} }, countLimit: 7 });
  expect(await count({ health: 'broken' })).toEqual({
    total: 1,
    facets: { status: { active: 1 }, tags: { early: 1 } },
  });
  expect(await count({ tag: 'early' })).toMatchObject({ total: 8, countLimit: 7 });
});

it.each([SMALL, WITH_INDEXES])('redirects of filtered pages are those of the repository', async (bounds) => {
  for (const filter of [{}, { search: 'old zq' }, { tag: 'early' }]) {
    const [found] = (await readPages(filter, '-createdAt', bounds)).flatMap(({ redirects }) => redirects);
    const stored = await redirectRepository.findById(test.database, found!.id);
    expect(found).toEqual({ ...stored, deletedAt: null });
  }
});
