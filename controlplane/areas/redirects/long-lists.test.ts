import { once } from 'node:events';
import { type FastifyBaseLogger, fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { userRepository } from '../accounts/user-repository.js';
import { PLANS } from '../plans/default-plans.js';
import { createLongLists } from './long-lists.js';
import { createRecords } from './redirect-records.js';
import { redirectRepository } from './redirect-repository.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

const REDIRECTS = 7;
const PAGE_SIZE = 3;
const log: FastifyBaseLogger = fastify().log;

let test: TestDatabase;
let pagesRead: number;

beforeAll(async () => {
  test = await openTestDatabase();
  for (const id of ['many', 'none'])
    await userRepository.insert(test.database, { id, email: `${id}@users.example` });
  // Some were created in the same microsecond.
  await addRedirects(
    'many',
    REDIRECTS,
    "'2026-01-01'::timestamptz + make_interval(secs => i / 3 * 0.000001)",
  );
});
afterAll(() => test.close());

async function addRedirects(userId: string, count: number, createdAt = 'now()', database = test.database) {
  await database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
       query_forwarding, sampling_rate, verification_value, created_at)
     SELECT $1 || i, $1, 'd' || i || '.example', 'https://new.example', 'new.example', 'permanent', false, false, 1,
       'value', ${createdAt} FROM generate_series(1, $2::int) i`,
    [userId, count],
  );
}

const recordsOf = createRecords(async () => ({ usage: new Map(), freshUntilMs: 0 }));

function createStream(stallMs = 60_000) {
  pagesRead = 0;
  return createLongLists({
    recordsOf,
    stallMs,
    readPage: (userId, after) => {
      pagesRead += 1;
      return redirectRepository.pageOfUser(test.database, userId, {
        limit: PAGE_SIZE,
        ...(after !== undefined && { after }),
      });
    },
  });
}

const options = (signal = new AbortController().signal) => ({
  plan: PLANS.free,
  log,
  serialize: JSON.stringify,
  signal,
});

it.each(['many', 'none'])('is the same JSON as the list as a whole (%s)', async (userId) => {
  const { redirects } = await redirectRepository.listOfUser(test.database, userId);
  const { records } = await recordsOf(redirects, PLANS.free, log);
  const pieces = await (await createStream()(userId, options())).toArray();
  expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(records));
  expect(records).toHaveLength(userId === 'many' ? REDIRECTS : 0);
});

it('reads no further than the client takes', async () => {
  const list = await createStream()('many', options());
  for await (const piece of list) {
    expect(String(piece)).toMatch(/^\[/);
    break;
  }
  expect(pagesRead).toBeLessThan(REDIRECTS / PAGE_SIZE + 1);
  expect(list.destroyed).toBe(true);
});

it('gives one list at a time to a user, the next when the client of the first has left', async () => {
  const stream = createStream();
  const first = await stream('many', options());
  let hasSecond = false;
  const second = stream('many', options()).then((list) => {
    hasSecond = true;
    return list;
  });
  await stream('none', options()).then((list) => list.toArray());
  expect(hasSecond).toBe(false);
  first.destroy();
  expect(await (await second).toArray()).not.toHaveLength(0);
});

it.each([
  { taken: 'nothing', pieces: 0 },
  { taken: 'the first piece', pieces: 1 },
])('ends a list of which its client takes $taken, so that the next one has its turn', async ({ pieces }) => {
  const stream = createStream(1_000);
  const stalled = await stream('many', options());
  const ended = once(stalled, 'close').catch((error: unknown) => error);
  const iterator = stalled[Symbol.asyncIterator]();
  for (let piece = 0; piece < pieces; piece += 1) await iterator.next();
  const next = await stream('many', options()).then((list) => list.toArray());
  expect(await ended).toMatchObject({ message: 'nothing of the list was read for 1000 ms' });
  expect(next).not.toHaveLength(0);
});

it('refuses the ninth list that waits', async () => {
  const stream = createStream();
  const leaving = new AbortController();
  const first = await stream('many', options());
  const waiting = Array.from({ length: 8 }, () => stream('many', options(leaving.signal)));
  await expect(stream('many', options())).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 10,
  });
  leaving.abort(new Error('the client left'));
  expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
  first.destroy();
});

it('is what GET /get-redirects/me answers where there are thousands of redirects', async () => {
  const area: RedirectsApi = await startRedirectsApi();
  try {
    const user = await area.api.createUser();
    await addRedirects(user.id, 2_500, 'now()', area.api.database);
    const answer = await area.api.call('GET', '/get-redirects/me', { token: user.token });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const ids = new Set(answer.json.map(({ id }: { id: string }) => id));
    expect(ids.size).toBe(2_500);
    const account = await area.api.call('GET', '/auth/user', { token: user.token });
    expect(account.body).toContain('2500');
  } finally {
    await area.close();
  }
});
