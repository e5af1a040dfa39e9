import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CurrentUser } from '../../http/current-user.js';
import { SCOPES } from '../../http/scopes.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { PLANS, type PlanName } from '../plans/default-plans.js';
import { createRedirectService, type RedirectService } from './redirect-service.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

const CALLERS = 16;
const toDomain = 'https://new.example/welcome';

let area: RedirectsApi;
let database: Database;
let service: RedirectService;
let user: CurrentUser;

beforeAll(async () => {
  area = await startRedirectsApi();
  database = area.api.database;
  service = createRedirectService({
    database,
    outbox: createRulesetOutbox(database),
  });
});
afterAll(() => area.close());
beforeEach(async () => {
  user = await createUser();
});

async function createUser(plan: PlanName = 'business'): Promise<CurrentUser> {
  const { id, email } = await area.api.createUser();
  return { id, email, scopes: SCOPES, plan: PLANS[plan], address: '192.0.2.1' };
}

let names = 0;
/** Returns a new host that is verified immediately. */
const newHost = () => `host-${names++}.localhost`;
const times = <T>(make: (at: number) => T) => Array.from({ length: CALLERS }, (_, at) => make(at));

/** Resolves to the result of each call, or to its error code. */
async function all<T>(calls: readonly Promise<T>[]): Promise<(T | string)[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code));
}

const create = (by: CurrentUser, fromDomain: string, more: object = {}) =>
  service.create(by, { fromDomain, toDomain, ...more });

async function createSome(by = user) {
  return Promise.all(times(() => create(by, newHost())));
}

/** Returns the number of transactions that last wrote the redirects of a user. */
async function transactionsOf({ id }: CurrentUser): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'SELECT count(DISTINCT xmin::text) AS count FROM redirects WHERE user_id = $1',
    [id],
  );
  return row?.count ?? 0;
}

async function eventsOf({ id }: CurrentUser): Promise<string[]> {
  const rows = await database.query<{ type: string }>(
    'SELECT type FROM webhook_events WHERE user_id = $1 ORDER BY type',
    [id],
  );
  return rows.map(({ type }) => type);
}

async function subscribe({ id }: CurrentUser, events: readonly string[]): Promise<void> {
  await database.query(
    `INSERT INTO webhook_endpoints (id, user_id, url, events, secret)
     VALUES ($1, $1, 'https://endpoint.example', $2, '\\x00')`,
    [id, events],
  );
}

async function auditOf({ id }: CurrentUser) {
  return database.query<{ action: string; resource: string; by: string; version: number }>(
    `SELECT action, resource_id AS resource, by_user_id AS by, version FROM audit_log
     JOIN redirect_versions ON audit_id = audit_log.id AND redirect_id = resource_id WHERE user_id = $1 ORDER BY audit_log.id`,
    [id],
  );
}

const count = (outcomes: readonly unknown[], code: string) => outcomes.filter((one) => one === code).length;

describe('creations at the same time', () => {
  it('share a transaction, and each has its record, version, audit entry and events', async () => {
    await subscribe(user, ['redirect.created', 'domain.verified']);
    const options = {
      statusCode: 307,
      tags: ['one "quoted"', 'two, three'],
      note: 'a \\ note',
      samplingRate: 0.25,
      startsAt: '2026-01-02T03:04:05.678Z',
      endsAt: '2027-01-02T03:04:05.678Z',
      afterEnd: { url: 'https://ended.example/' },
      responseHeaders: { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'origin' },
      appendQuery: { z: '1', a: '2' },
      hsts: { maxAge: 60 },
      clickIdParam: 'click',
      httpsMode: 'upgrade',
    };
    const made = await Promise.all(
      times((at) => create(user, newHost(), at % 2 === 0 ? { ...options, externalId: `id-${at}` } : {})),
    );
    expect(await transactionsOf(user)).toBe(1);
    for (const redirect of made) expect(await service.requireOwned(redirect.id, user.id)).toEqual(redirect);
    expect(await auditOf(user)).toEqual(
      made.map(({ id }) => ({ action: 'redirect.created', resource: id, by: user.id, version: 1 })),
    );
    expect(await eventsOf(user)).toEqual([
      ...times(() => 'domain.verified'),
      ...times(() => 'redirect.created'),
    ]);
    expect((await area.served(made[3]?.fromDomain ?? ''))?.id).toBe(made[3]?.id);
  });

  it('of one host by one user: one wins', async () => {
    const host = newHost();
    const outcomes = await all(times(() => create(user, host)));
    expect(count(outcomes, 'DOMAIN_EXISTS')).toBe(CALLERS - 1);
    expect(await service.list(user.id)).toMatchObject([{ fromDomain: host }]);
  });

  it('of one host that needs no proof by many users: one wins', async () => {
    const host = newHost();
    const users = await Promise.all(times(() => createUser()));
    const outcomes = await all(users.map((one) => create(one, host)));
    expect(count(outcomes, 'DOMAIN_TAKEN')).toBe(CALLERS - 1);
  });

  it('of one host that needs a proof by many users: all may claim it', async () => {
    const users = await Promise.all(times(() => createUser()));
    const outcomes = await all(users.map((one) => create(one, 'claimed.example')));
    expect(outcomes).toEqual(times(() => expect.objectContaining({ verifiedAt: null })));
  });

  it('fill a plan exactly, and announce both of its limits', async () => {
    const small = await createUser('free');
    await subscribe(small, ['usage.approaching_limit', 'usage.limit_reached']);
    const outcomes = await all([
      ...times((at) => create(at % 2 === 0 ? small : user, newHost())),
      create(small, newHost()),
    ]);
    const { maxRedirects } = small.plan;
    expect(count(outcomes, 'PLAN_LIMIT_REACHED')).toBe(CALLERS / 2 + 1 - maxRedirects);
    expect(outcomes.filter((_, at) => at % 2 === 1)).toEqual(
      Array.from({ length: CALLERS / 2 }, () => expect.objectContaining({ userId: user.id })),
    );
    const [row] = await database.query('SELECT redirect_count FROM users WHERE id = $1', [small.id]);
    expect(row).toEqual({ redirect_count: maxRedirects });
    expect(await eventsOf(small)).toEqual(['usage.approaching_limit', 'usage.limit_reached']);
  });

  it('a host that the plan of one user has no room for is free for another one', async () => {
    const full = await createUser('free');
    await Promise.all(Array.from({ length: full.plan.maxRedirects }, () => create(full, newHost())));
    const host = newHost();
    const outcomes = await all([create(full, host), create(user, host)]);
    expect(outcomes).toEqual(['PLAN_LIMIT_REACHED', expect.objectContaining({ fromDomain: host })]);
  });

  it('one that closes a loop leaves its place in the plan to the next one', async () => {
    const small = await createUser('free');
    const [first, last] = [newHost(), newHost()];
    await Promise.all(
      Array.from({ length: small.plan.maxRedirects - 1 }, (_, at) =>
        create(small, at === 0 ? first : newHost(), at === 0 ? { toDomain: `https://${last}` } : {}),
      ),
    );
    const outcomes = await all([
      create(small, last, { toDomain: `https://${first}` }),
      create(small, newHost()),
      create(small, newHost()),
    ]);
    expect(outcomes).toEqual(['REDIRECT_LOOP', expect.objectContaining({}), 'PLAN_LIMIT_REACHED']);
  });

  it('of a user whose plan is full name the loop, in company as well as alone', async () => {
    const full = await createUser('free');
    const [first, last] = [newHost(), newHost()];
    await Promise.all(
      Array.from({ length: full.plan.maxRedirects }, (_, at) =>
        create(full, at === 0 ? first : newHost(), at === 0 ? { toDomain: `https://${last}` } : {}),
      ),
    );
    const close = () => create(full, last, { toDomain: `https://${first}` });
    expect(await all([close()])).toEqual(['REDIRECT_LOOP']);
    const outcomes = await all([close(), create(full, newHost()), create(user, newHost())]);
    expect(outcomes).toEqual(['REDIRECT_LOOP', 'PLAN_LIMIT_REACHED', expect.objectContaining({})]);
  });

  it('that close a loop through a rule take nothing from the others of their transaction', async () => {
    const writer = await createUser();
    const [ruled, back] = [newHost(), newHost()];
    const { id } = await create(user, ruled);
    await database.query(
      `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by)
       VALUES ($1, 'back', 'force', '[]', 'AND', jsonb_build_object('type', 'redirect', 'url', $2::text), 1, 'active', 'u')`,
      [id, `https://${back}`],
    );
    const outcomes = await all([
      ...times(() => create(writer, newHost())),
      create(writer, back, { toDomain: `https://${ruled}` }),
    ]);
    const isMade = expect.objectContaining({ userId: writer.id });
    expect(outcomes).toEqual([...times(() => isMade), 'REDIRECT_LOOP']);
    expect(await transactionsOf(writer)).toBe(1);
  });

  it('that are refused leave the others alone, in the same transaction', async () => {
    const [there, first, second] = [newHost(), newHost(), newHost()];
    await create(user, there, { externalId: 'taken' });
    const writer = await createUser();
    const outcomes = await all([
      create(writer, 'not a domain'),
      create(writer, newHost()),
      create(user, there),
      create(writer, there),
      create(user, newHost(), { externalId: 'taken' }),
      create(writer, newHost(), { externalId: 'taken' }),
      create(writer, newHost(), { externalId: 'taken' }),
      create(writer, 'x.example', { toDomain: 'https://x.example' }),
      create(writer, first, { toDomain: `https://${second}` }),
      create(writer, second, { toDomain: `https://${first}` }),
      create(writer, newHost()),
    ]);
    const isMade = expect.objectContaining({ userId: writer.id });
    expect(outcomes).toEqual([
      'VALIDATION_ERROR',
      isMade,
      'DOMAIN_EXISTS',
      'DOMAIN_TAKEN',
      'EXTERNAL_ID_EXISTS',
      isMade,
      'EXTERNAL_ID_EXISTS',
      'REDIRECT_LOOP',
      isMade,
      'REDIRECT_LOOP',
      isMade,
    ]);
    expect(await transactionsOf(writer)).toBe(1);
  });
});

describe('changes at the same time', () => {
  it('share a transaction, and each has its record, version, audit entry and event', async () => {
    const before = await createSome();
    await subscribe(user, ['redirect.updated']);
    const changed = await Promise.all(
      before.map(({ id }, at) => service.patch(user, id, { note: `note ${at}`, tags: [`t${at}`] })),
    );
    expect(await transactionsOf(user)).toBe(1);
    for (const [at, redirect] of changed.entries()) {
      expect(redirect).toMatchObject({ note: `note ${at}`, tags: [`t${at}`], version: 2 });
      expect(await service.requireOwned(redirect.id, user.id)).toEqual(redirect);
    }
    const audit = (await auditOf(user)).filter(({ version }) => version === 2);
    expect(audit).toEqual(
      changed.map(({ id }) => ({ action: 'redirect.updated', resource: id, by: user.id, version: 2 })),
    );
    expect(await eventsOf(user)).toEqual(times(() => 'redirect.updated'));
  });

  it('of one redirect follow each other', async () => {
    const [redirect] = await createSome();
    const changed = await Promise.all(
      times((at) => service.update(user, redirect?.id ?? '', { note: `note ${at}` })),
    );
    expect(changed.map(({ version }) => version)).toEqual(times((at) => at + 2));
    expect((await auditOf(user)).filter(({ resource }) => resource === redirect?.id)).toHaveLength(
      CALLERS + 1,
    );
  });

  it('that are refused leave the others alone', async () => {
    const [own, ended, conditional, bad, ...free] = await createSome();
    const [foreign] = await createSome(await createUser());
    await service.delete(user, ended?.id ?? '');
    const change = (
      id = '',
      precondition?: () => boolean,
      input: Readonly<Record<string, unknown>> = { note: 'changed' },
    ) => service.patch(user, id, input, precondition);
    const outcomes = await all([
      change(own?.id),
      change(foreign?.id),
      change(ended?.id),
      change('unknown'),
      change(conditional?.id, () => false),
      change(bad?.id, undefined, { endsAt: 'never' }),
      ...free.map(({ id }) => change(id)),
    ]);
    const isChanged = expect.objectContaining({ note: 'changed', version: 2 });
    expect(outcomes).toEqual([
      isChanged,
      'FORBIDDEN',
      'NOT_FOUND',
      'NOT_FOUND',
      'PRECONDITION_FAILED',
      'VALIDATION_ERROR',
      ...free.map(() => isChanged),
    ]);
  });

  it('may lead to other hosts, and close no loop', async () => {
    const [one, two, ...others] = await createSome();
    const move = (id = '', host = '') => service.update(user, id, { toDomain: `https://${host}/moved` });
    const outcomes = await all([
      move(one?.id, two?.fromDomain),
      move(two?.id, one?.fromDomain),
      ...others.map(({ id }, at) => move(id, `other-${at}.example`)),
    ]);
    expect(outcomes).toEqual([
      expect.objectContaining({ toHost: two?.fromDomain }),
      'REDIRECT_LOOP',
      ...others.map((_, at) => expect.objectContaining({ toHost: `other-${at}.example`, version: 2 })),
    ]);
  });

  it('of external ids find the one that another redirect has', async () => {
    const redirects = await createSome();
    const outcomes = await all(
      redirects.map(({ id }) => service.patch(user, id, { externalId: 'only one' })),
    );
    expect(count(outcomes, 'EXTERNAL_ID_EXISTS')).toBe(CALLERS - 1);
  });
});

describe('requests at the same time', () => {
  const post = (token: string, body: object, key?: string) =>
    area.api.call('POST', '/redirects', {
      token,
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });

  it('keep the answer of each Idempotency-Key', async () => {
    const { token } = await area.api.createUser({ plan: 'business' });
    const bodies = times(() => ({ fromDomain: newHost(), toDomain }));
    const send = () => Promise.all(bodies.map((body, at) => post(token, body, `key-${at}`)));
    const first = await send();
    expect(first.map(({ status }) => status)).toEqual(times(() => 201));
    const again = await send();
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect(again.map(({ headers }) => headers.etag)).toEqual(first.map(({ headers }) => headers.etag));
    expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual(times(() => 'true'));
  });

  it('with one Idempotency-Key create one redirect', async () => {
    const { id, token } = await area.api.createUser({ plan: 'business' });
    const body = { fromDomain: newHost(), toDomain };
    const answers = await Promise.all([
      ...times(() => post(token, body, 'the-same')),
      post(token, { ...body, fromDomain: newHost() }),
    ]);
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const rows = await database.query('SELECT FROM redirects WHERE user_id = $1', [id]);
    expect(rows).toHaveLength(2);
  });

  it('are answered when one of the clients leaves', async () => {
    const { id, token } = await area.api.createUser({ plan: 'business' });
    await area.api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = area.api.app.server.address() as AddressInfo;
    const hosts = times(newHost);
    const send = (fromDomain: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const request = http.request({ port, method: 'POST', path: '/redirects', headers });
      request.end(JSON.stringify({ fromDomain, toDomain }));
      return request;
    };
    const [leaver, ...stayers] = hosts.map(send);
    leaver?.on('error', () => undefined);
    leaver?.once('finish', () => leaver.destroy());
    const statuses = await Promise.all(
      stayers.map(async (request) => {
        const [response] = (await once(request, 'response')) as [http.IncomingMessage];
        response.resume();
        return response.statusCode;
      }),
    );
    expect(statuses).toEqual(stayers.map(() => 201));
    const rows = await database.query('SELECT FROM redirects WHERE user_id = $1 AND from_domain = ANY ($2)', [
      id,
      hosts.slice(1),
    ]);
    expect(rows).toHaveLength(CALLERS - 1);
  });
});
