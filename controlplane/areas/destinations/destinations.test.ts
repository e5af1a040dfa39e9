import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { TestUser } from '../../http/api.fixture.js';
import { decodeCursor, toReadPage } from '../../http/page-cursor.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { createPathRoutes } from '../paths/path-routes.js';
import { createPathService } from '../paths/path-service.js';
import { createPathTest } from '../paths/path-test.js';
import { createRedirectService } from '../redirects/redirect-service.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { readBrokenDestinations } from './destination-records.js';
import { createDestinations, type Destinations } from './destinations.js';

let area: RedirectsApi;
let database: Database;
let redirects: ReturnType<typeof createRedirectService>;
let destinations: Destinations;
let operator: string;
let user: TestUser;
let server: http.Server;
let port: number;
/** Paths in the order of the requests. */
let requests: string[] = [];
/** Running requests by host, and the maximum of one host at the same time. */
const underWay = new Map<string, number>();
let mostAtOnce = 0;
/** Status by path. Default: 200. */
const statuses = new Map<string, number>();
let run = 0;

function createArea(checks: 'on' | 'private' | 'off' = 'private'): Destinations {
  return createDestinations({
    database,
    redirects,
    isOperator: (caller) => area.api.accounts.isOperator(caller),
    checks,
    publicApiUrl: undefined,
    metrics: new Registry(),
    logger: pino({ enabled: false }),
    requestIntervalMs: 0,
    siteIntervalSeconds: 0,
  });
}

beforeAll(async () => {
  server = http.createServer(({ headers, url = '' }, response) => {
    requests.push(url);
    const { host = '' } = headers;
    const count = (underWay.get(host) ?? 0) + 1;
    underWay.set(host, count);
    mostAtOnce = Math.max(mostAtOnce, count);
    setImmediate(() => {
      underWay.set(host, (underWay.get(host) ?? 1) - 1);
      response.writeHead(statuses.get(url) ?? 200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
  area = await startRedirectsApi((parts) => {
    ({ database } = parts);
    const deps = { database, outbox: createRulesetOutbox(database) };
    redirects = createRedirectService(deps);
    destinations = createArea();
    const paths = { ...deps, redirects };
    const routes = createPathRoutes({
      service: createPathService(paths),
      test: createPathTest({ ...paths, guard: createRegexGuard() }),
      hitsOf: async () => new Map(),
    });
    return [destinations, { routes: [routes], jobs: [] }];
  });
  operator = (await area.api.accounts.bootstrap({ generate: true })).token ?? '';
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await area.close();
});
beforeEach(() => {
  requests = [];
  mostAtOnce = 0;
});

/** Returns a URL on the test server, at a separate site. */
const urlOf = (path: string) => `http://${path.slice(1).split('/')[0]}.localhost:${port}${path}`;
const newPath = () => `/d${++run}`;
const call = (method: string, path: string, body?: object, token = user.token) =>
  area.api.call(method, path, { token, ...(body && { body }) });

async function createRedirect(toDomain: string, more: object = {}, owner = user) {
  const body = { fromDomain: `h${++run}.localhost`, toDomain, ...more };
  const { status, json, body: text } = await call('POST', '/redirects', body, owner.token);
  expect(status, text).toBe(201);
  return json as { id: string; fromDomain: string };
}
async function checkAll(): Promise<void> {
  await destinations.sync.runRound();
  await destinations.dispatcher.runRound();
  await destinations.news.runRound();
}
const health = async (id: string, token = user.token) =>
  (await call('GET', `/redirects/${id}/health`, undefined, token)).json;
const listed = async (value: string) => {
  const { json } = await call('GET', `/redirects?health=${value}&fields=id&limit=200`);
  return json.data.map(({ id }: { id: string }) => id) as string[];
};

/** Makes the next check of a destination due, as if its failures had begun long ago. */
async function makeDue(url: string): Promise<void> {
  await database.query(
    `UPDATE destinations SET next_check_at = now(), failing_since = failing_since - interval '20 minutes' WHERE url = $1`,
    [url],
  );
  await database.query(
    `UPDATE destination_sites SET next_turn_at = now() WHERE site = (SELECT site FROM destinations WHERE url = $1)`,
    [url],
  );
}
async function failThrice(url: string): Promise<void> {
  for (let check = 0; check < 3; check += 1) {
    await makeDue(url);
    await destinations.dispatcher.runRound();
  }
  await destinations.news.runRound();
}
const events = async (owner: TestUser) => {
  const rows = await database.query<{ payload: string }>(
    `SELECT payload FROM webhook_events WHERE user_id = $1 AND type LIKE 'destination.%' ORDER BY created_at, id`,
    [owner.id],
  );
  return rows.map(({ payload }) => JSON.parse(payload));
};

describe('destinations of redirects', () => {
  it('are those of the redirect, its end, its rules and its paths, each checked once', async () => {
    const [own, end, rule, first, second, path] = [1, 2, 3, 4, 5, 6].map(() => urlOf(newPath()));
    const { id } = await createRedirect(`${own}`, {
      endsAt: '2099-01-01T00:00:00Z',
      afterEnd: { url: end },
    });
    const actions = [
      { type: 'redirect', url: rule },
      {
        type: 'ab_test',
        variants: [
          { name: 'a', url: first, percentage: 50 },
          { name: 'b', url: second, percentage: 50 },
        ],
      },
      { type: 'redirect', url: own },
    ];
    for (const [priority, action] of actions.entries()) {
      await database.query(
        `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by)
         VALUES ($1, 'r', 'force', '[]', 'AND', $2, $3, 'active', 'x')`,
        [id, JSON.stringify(action), priority + 1],
      );
    }
    const put = await call('PUT', `/redirects/${id}/paths`, {
      entries: [
        { source: '/a', destination: path },
        { source: '/b/:id', destination: `${urlOf('/never')}/:id` },
        { source: '/c/*', destination: `${urlOf('/never')}/*` },
        { source: '/d', destination: '/relative' },
        { source: '/e', destination: urlOf('/disabled'), enabled: false },
        { source: '/f', destination: 'https://reserved.example/' },
      ],
    });
    expect(put.status, put.body).toBe(200);
    await checkAll();
    const { json } = await call('GET', `/redirects/${id}/health`);
    expect(json.health).toBe('ok');
    const uses = Object.fromEntries(
      json.destinations.map((one: { url: string; usedBy: string[] }) => [one.url, one.usedBy]),
    );
    expect(uses).toEqual({
      [own!]: ['redirect', 'rule'],
      [end!]: ['afterEnd'],
      [rule!]: ['rule'],
      [first!]: ['rule'],
      [second!]: ['rule'],
      [path!]: ['path'],
    });
    expect(json.destinations[0]).toMatchObject({
      health: 'ok',
      statusCode: 200,
      error: null,
      redirects: [],
      failures: 0,
      checkedAt: expect.any(String),
      responseTimeMs: expect.any(Number),
    });
    expect(requests).toHaveLength(6);
  });

  it('are checked once for all who use them', async () => {
    const url = urlOf(newPath());
    const other = await area.api.createUser({ plan: 'business' });
    const [mine, again, theirs] = [
      await createRedirect(url),
      await createRedirect(`${url}#part`),
      await createRedirect(url, {}, other),
    ];
    await checkAll();
    expect(requests).toHaveLength(1);
    for (const { id } of [mine, again]) expect((await health(id)).health).toBe('ok');
    expect((await health(theirs.id, other.token)).health).toBe('ok');
  });

  it('are not checked before the domain is verified', async () => {
    const url = urlOf(newPath());
    const pending = await createRedirect(url, { fromDomain: `pending-${run}.example.com` });
    await checkAll();
    expect(requests).toEqual([]);
    expect(await health(pending.id)).toEqual({ health: 'unknown', destinations: [] });
  });

  it('follow changes of redirects, and are forgotten with the last one', async () => {
    const [before, after] = [urlOf(newPath()), urlOf(newPath())];
    const { id } = await createRedirect(before);
    await checkAll();
    await call('PATCH', `/redirects/${id}`, { toDomain: after });
    await checkAll();
    expect((await health(id)).destinations).toMatchObject([{ url: after, health: 'ok' }]);
    await makeDue(before);
    await checkAll();
    expect(await database.query('SELECT FROM destinations WHERE url = $1', [before])).toEqual([]);
    await call('PATCH', `/redirects/${id}`, { enabled: false });
    await checkAll();
    expect(await health(id)).toEqual({ health: 'unknown', destinations: [] });
    await call('PATCH', `/redirects/${id}`, { enabled: true });
    await checkAll();
    expect((await health(id)).health).toBe('ok');
    await call('DELETE', `/redirects/${id}`);
    await makeDue(after);
    await checkAll();
    expect(await database.query('SELECT FROM destinations WHERE url = $1', [after])).toEqual([]);
  });

  it('are not checked where labels of the requested host are filled in', async () => {
    const fixed = urlOf(newPath());
    const labelled = `${urlOf('/never')}/{host.1}`;
    const wildcard = { fromDomain: `*.w${++run}.localhost`, endsAt: '2099-01-01T00:00:00Z' };
    const { id } = await createRedirect(labelled, { ...wildcard, afterEnd: { url: fixed } });
    await checkAll();
    expect((await health(id)).destinations.map(({ url }: { url: string }) => url)).toEqual([fixed]);
    await call('PATCH', `/redirects/${id}`, { toDomain: fixed, afterEnd: { url: labelled } });
    await checkAll();
    expect((await health(id)).destinations.map(({ url }: { url: string }) => url)).toEqual([fixed]);
    await call('DELETE', `/redirects/${id}`);
  });

  it('are limited to 100 of a redirect', async () => {
    const { id } = await createRedirect('https://reserved.example/');
    const entries = Array.from({ length: 120 }, (_, at) => ({
      source: `/p${at}`,
      destination: `${urlOf(`/many${run}`)}/${at}`,
    }));
    expect((await call('PUT', `/redirects/${id}/paths`, { entries })).status).toBe(200);
    await destinations.sync.runRound();
    const { json } = await call('GET', `/redirects/${id}/health`);
    expect(json.destinations).toHaveLength(100);
    expect(json.health).toBe('unknown');
    await call('DELETE', `/redirects/${id}`);
    await checkAll();
  });

  it('are all read again when the log of changes does not reach back', async () => {
    const url = urlOf(newPath());
    const { id } = await createRedirect(url);
    await database.query('DELETE FROM ruleset_changes');
    await checkAll();
    expect((await health(id)).health).toBe('ok');
  });

  it('show no health of the redirects of others', async () => {
    const { id } = await createRedirect(urlOf(newPath()));
    const other = await area.api.createUser();
    expect((await call('GET', `/redirects/${id}/health`, undefined, other.token)).status).toBe(403);
    expect((await call('GET', '/redirects/none/health')).status).toBe(404);
  });
});

describe('a broken destination', () => {
  it('makes its redirects broken after three failures, and tells each owner once', async () => {
    const path = newPath();
    const url = urlOf(path);
    const other = await area.api.createUser({ plan: 'business' });
    for (const owner of [user, other]) {
      await database.query(
        `INSERT INTO webhook_endpoints (id, user_id, url, events, secret) VALUES ($1, $2, 'https://h.example', $3, '')`,
        [`hook-${owner.id}`, owner.id, ['destination.broken', 'destination.recovered']],
      );
    }
    const [mine, second] = [await createRedirect(url), await createRedirect(url)];
    const theirs = await createRedirect(url, {}, other);
    await checkAll();
    expect(await listed('ok')).toContain(mine.id);
    statuses.set(path, 503);
    for (const failures of [1, 2]) {
      await makeDue(url);
      await checkAll();
      expect(await health(mine.id)).toMatchObject({ health: 'ok', destinations: [{ failures }] });
    }
    expect(await events(user)).toEqual([]);
    await makeDue(url);
    await checkAll();
    expect(await health(mine.id)).toMatchObject({
      health: 'broken',
      destinations: [{ health: 'broken', statusCode: 503, failures: 3 }],
    });
    const broken = await listed('broken');
    expect(broken).toEqual(expect.arrayContaining([mine.id, second.id]));
    expect(broken).not.toContain(theirs.id);
    expect(await listed('ok')).not.toContain(mine.id);
    const [event, ...more] = await events(user);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'destination.broken',
      data: { url, statusCode: 503, error: null, failingSince: expect.any(String) },
    });
    expect(event.data.redirects.map(({ id }: { id: string }) => id).sort()).toEqual(
      [mine.id, second.id].sort(),
    );
    expect((await events(other)).map(({ data }) => data.redirects)).toEqual([
      [{ id: theirs.id, fromDomain: theirs.fromDomain }],
    ]);

    await failThrice(url);
    expect(await events(user)).toHaveLength(1);
    statuses.delete(path);
    await makeDue(url);
    await checkAll();
    expect((await health(mine.id)).health).toBe('ok');
    expect(await listed('broken')).not.toContain(mine.id);
    expect((await events(user)).map(({ type }) => type)).toEqual([
      'destination.broken',
      'destination.recovered',
    ]);
  });

  it('is in the list of the operator, with all who lead there, and in no list of others', async () => {
    const path = newPath();
    const url = urlOf(path);
    statuses.set(path, 404);
    const neighbour = await area.api.createUser({ plan: 'business' });
    const mine = await createRedirect(url);
    const theirs = await createRedirect(url, {}, neighbour);
    const other = newPath();
    statuses.set(other, 500);
    await createRedirect(urlOf(other));
    await checkAll();
    for (const broken of [url, urlOf(other)]) await failThrice(broken);
    const list = (query: string, token = operator) =>
      call('GET', `/admin/destinations?${query}`, undefined, token);
    expect((await list('', user.token)).status).toBe(403);
    const { status, json, body } = await list(`search=${encodeURIComponent(path.toUpperCase())}`);
    expect(status, body).toBe(200);
    expect(json.data).toMatchObject([{ url, statusCode: 404, error: null, redirectCount: 2 }]);
    expect(new Set(json.data[0].redirects.map((each: { id: string }) => each.id))).toEqual(
      new Set([mine.id, theirs.id]),
    );
    expect(json.data[0].redirects).toContainEqual({
      ...{ id: theirs.id, fromDomain: theirs.fromDomain },
      ...{ userId: neighbour.id, email: neighbour.email },
    });
    const first = await list('limit=1');
    const next = await list(`limit=200&cursor=${first.json.page.nextCursor}`);
    const urls = [...first.json.data, ...next.json.data].map((each: { url: string }) => each.url);
    expect(new Set(urls).size).toBe(urls.length);
    expect(urls[0]).toBe((await list('')).json.data[0].url);
    const forged = Buffer.from(JSON.stringify(['2026-01-01 00:00:00+00', 'x'])).toString('base64url');
    expect((await list(`cursor=${forged}`)).status).toBe(400);
  });

  it('is searched in a bounded number of rows for each page', async () => {
    await database.query(
      `INSERT INTO destinations (url, digest, site, state, failing_since, next_check_at)
       SELECT 'https://old' || i || CASE WHEN i IN (8, 9, 10, 11) THEN '.rare.example/' ELSE '.example/' END,
         decode(md5('old' || i), 'hex'), 'old.example', 'broken', '2020-01-01'::timestamptz - make_interval(secs => i), 'infinity'
       FROM generate_series(1, 12) AS i`,
    );
    const pages: string[][] = [];
    let after = { at: '2020-01-01 00:00:00+00', id: '' };
    for (let isLast = false; !isLast; ) {
      const rows = await readBrokenDestinations(database, after, 2, 'RARE', 4);
      const { data, page } = toReadPage(rows, 2, ({ url }) => url.slice(8).split('.')[0] ?? '', 4);
      pages.push(data);
      isLast = page.nextCursor === null;
      if (page.nextCursor !== null) after = decodeCursor(page.nextCursor);
    }
    expect(pages).toEqual([[], ['old8'], ['old9', 'old10'], ['old11']]);
    await database.query("DELETE FROM destinations WHERE site = 'old.example'");
  });

  it('makes a redirect broken that begins to use it', async () => {
    const path = newPath();
    statuses.set(path, 404);
    const first = await createRedirect(urlOf(path));
    await checkAll();
    await failThrice(urlOf(path));
    const later = await createRedirect(urlOf(path));
    await destinations.sync.runRound();
    expect(await listed('broken')).toEqual(expect.arrayContaining([first.id, later.id]));
  });
});

describe('several control planes', () => {
  it('never check destinations of one site at the same time', async () => {
    const base = urlOf(newPath());
    const { id } = await createRedirect(`${base}/0`);
    const entries = Array.from({ length: 9 }, (_, at) => ({
      source: `/p${at}`,
      destination: `${base}/${at + 1}`,
    }));
    await call('PUT', `/redirects/${id}/paths`, { entries });
    await destinations.sync.runRound();
    const others = [createArea(), createArea()];
    await Promise.all([destinations, ...others].map(({ dispatcher }) => dispatcher.runRound()));
    await destinations.news.runRound();
    expect((await health(id)).health).toBe('ok');
    expect(new Set(requests).size).toBe(10);
    expect(requests).toHaveLength(10);
    expect(mostAtOnce).toBe(1);
  });

  it('continue a check of a process that died', async () => {
    const { id } = await createRedirect(urlOf(newPath()));
    await destinations.sync.runRound();
    await database.query(
      `UPDATE destination_sites SET claim = 'dead', next_turn_at = now() WHERE next_turn_at <= now()`,
    );
    await destinations.dispatcher.runRound();
    expect(requests).toHaveLength(1);
    expect((await health(id)).destinations).toMatchObject([{ health: 'ok' }]);
  });
});

describe('checks', () => {
  it('refuse private addresses unless they are allowed', async () => {
    const { id } = await createRedirect(urlOf(newPath()));
    await destinations.sync.runRound();
    await createArea('on').dispatcher.runRound();
    expect(requests).toEqual([]);
    expect(await health(id)).toMatchObject({
      health: 'unknown',
      destinations: [{ error: 'address_refused', failures: 0, statusCode: null }],
    });
  });

  it('can be switched off', () => {
    expect(createArea('off').jobs).toEqual([]);
    expect(createArea('on').jobs).toHaveLength(3);
  });

  it('refuse an unknown health in lists', async () => {
    const { status, json } = await call('GET', '/redirects?health=sick');
    expect([status, json.error.field]).toEqual([400, 'health']);
  });
});
