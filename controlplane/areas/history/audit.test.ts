import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { PLANS } from '../plans/default-plans.js';
import { type HistoryApi, startHistoryApi } from './history-api.fixture.js';
import { historyRepository, type ServedVersion } from './history-repository.js';
import { createHistoryRetention, eraseSomeHistory } from './history-retention.js';

let history: HistoryApi;
let count = 0;

beforeAll(async () => {
  history = await startHistoryApi();
});
afterAll(() => history.close());

const name = () => `audited-${++count}.localhost`;
const createRedirect = (user: TestUser, fromDomain = name()) =>
  history.call(user, 'POST', '/redirects', { fromDomain, toDomain: 'https://to.example' });
const audit = (user: TestUser, query = '') => history.call(user, 'GET', `/audit${query}`);

describe('the audit log', () => {
  it('says who changed what, when and from where', async () => {
    const user = await history.api.createUser();
    const { id, fromDomain } = await createRedirect(user);
    await history.call(user, 'PATCH', `/redirects/${id}`, { note: 'new', enabled: false });
    const { data } = await audit(user);
    expect(data).toMatchObject([
      {
        action: 'redirect.updated',
        resource: { type: 'redirect', id, name: fromDomain, count: 1 },
        version: 2,
        summary: 'Changed enabled, note',
        by: { userId: user.id, email: user.email, address: '127.0.0.1' },
      },
      { action: 'redirect.created', version: 1 },
    ]);
    const { tokens } = await history.call(user, 'GET', '/auth/tokens');
    expect(data[0].by.tokenId).toBe(tokens[0].id);
    const versions = await history.call(user, 'GET', `/redirects/${id}/versions`);
    expect(versions.data[0]).toMatchObject({ by: data[0].by, at: data[0].at, summary: data[0].summary });
  });

  it('has the changes of everything else that a user owns, and no secret', async () => {
    const user = await history.api.createUser();
    const secrets: string[] = [];
    const token = await history.call(user, 'POST', '/auth/tokens', { name: 'deploy' });
    secrets.push(token.token);
    const events = ['domain.verified'];
    const url = 'https://hooks.example/services/secret-path?key=secret-key';
    const endpoint = await history.call(user, 'POST', '/webhook-endpoints', { url, events });
    const rotated = await history.call(user, 'POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`);
    secrets.push(endpoint.secret, rotated.secret, 'secret-path', 'secret-key');
    await history.call(user, 'DELETE', `/webhook-endpoints/${endpoint.id}`);
    await history.call(user, 'DELETE', `/auth/tokens/${token.id}`);
    await history.importFile(
      user,
      'kind=redirects&format=csv',
      `fromDomain,toDomain\n${name()},https://to.example`,
    );
    const { data } = await audit(user);
    expect(data.map(({ action }: { action: string }) => action)).toEqual([
      'redirect.created',
      'import.created',
      'token.deleted',
      'webhook_endpoint.deleted',
      'webhook_endpoint.secret_rotated',
      'webhook_endpoint.created',
      'token.created',
    ]);
    // The import acts for the token that sent it.
    expect(data[0].by).toEqual(data[1].by);
    const stored = JSON.stringify(await history.api.database.query('SELECT * FROM audit_log'));
    for (const secret of secrets) expect(stored).not.toContain(secret);
  });

  it('has log-ins with their address, and changes of the password without the password', async () => {
    const account = { email: 'grace@example.com', password: 'a first password' };
    const { json } = await history.api.call('POST', '/auth/signup', { body: account });
    await history.api.call('POST', '/auth/login', { body: account, from: '192.0.2.7' });
    const user = { id: '', email: account.email, token: json.token };
    await history.call(user, 'POST', '/auth/password/change', {
      currentPassword: account.password,
      newPassword: 'a second password',
    });
    const { data } = await audit(user);
    expect(data).toMatchObject([
      { action: 'account.password_changed' },
      { action: 'session.created', by: { address: '192.0.2.7', email: account.email } },
      { action: 'session.created' },
      { action: 'account.created' },
    ]);
    const stored = JSON.stringify(await history.api.database.query('SELECT * FROM audit_log'));
    for (const secret of ['a first password', 'a second password', json.token]) {
      expect(stored).not.toContain(secret);
    }
  });

  it('shows a token only what it may read itself', async () => {
    const user = await history.api.createUser();
    await createRedirect(user);
    await history.call(user, 'POST', '/auth/tokens', { name: 'hidden' });
    const reading = await history.api.createToken(user.id, { scopes: ['redirects:read'] });
    const { data } = await audit({ ...user, token: reading });
    expect(data.map(({ action }: { action: string }) => action)).toEqual(['redirect.created']);
  });

  it('is read page by page, and filtered by resource, action and time', async () => {
    const user = await history.api.createUser();
    const operations = Array.from({ length: 3 }, () => ({
      op: 'create',
      fromDomain: name(),
      toDomain: 'https://to.example',
    }));
    const { results } = await history.call(user, 'POST', '/redirects/bulk', { operations });
    const { id } = await createRedirect(user);
    const { rule } = await history.call(user, 'POST', `/redirects/${id}/rules`, {
      name: 'r',
      type: 'force',
      action: { type: 'redirect', url: 'https://rule.example' },
    });
    await history.call(user, 'PATCH', `/rules/${rule.id}`, { name: 'r2' });
    const all = (await audit(user)).data;
    expect(all.map(({ summary }: { summary: string }) => summary)).toEqual([
      'Changed the rule "r2"',
      'Added the rule "r"',
      'Created',
      'Created: 3 redirects',
    ]);
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await audit(user, `?limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.data);
      cursor = page.page.nextCursor;
    }
    expect(paged).toEqual(all);
    const filtered = async (query: string) => (await audit(user, `?${query}`)).data;
    expect(await filtered(`resource=${id}`)).toEqual(all.slice(0, 3));
    // The entry of a bulk request is found by each of its redirects.
    expect(await filtered(`resource=${results[1].id}`)).toEqual(all.slice(3));
    expect(await filtered('resource=token')).toEqual([]);
    expect(await filtered('action=rule')).toEqual(all.slice(0, 2));
    expect(await filtered('action=rule.updated')).toEqual(all.slice(0, 1));
    expect(await filtered(`since=${all[1].at}&until=${all[1].at}`)).toContainEqual(all[1]);
    expect(await filtered('until=2026-01-01')).toEqual([]);
    for (const [query, field] of [
      ['action=invented', 'action'],
      ['since=yesterday', 'since'],
      ['since=2026-02-01&until=2026-01-01', 'since'],
      ['cursor=x', 'cursor'],
    ]) {
      const { status, json } = await history.api.call('GET', `/audit?${query}`, { token: user.token });
      expect([status, json.error.code, json.error.field]).toEqual([400, 'INVALID_REQUEST', field]);
    }
  });

  it('is exported as CSV and NDJSON', async () => {
    const user = await history.api.createUser();
    const { id, fromDomain } = await createRedirect(user);
    await history.call(user, 'PATCH', `/redirects/${id}`, { note: 'x' });
    const file = async (format: string) =>
      (await history.api.call('GET', `/exports/audit?format=${format}`, { token: user.token })).body;
    const [head = '', first = ''] = (await file('csv')).split('\r\n');
    expect(head.split(',').slice(0, 3)).toEqual(['id', 'at', 'action']);
    expect(first).toContain(`redirect.updated,redirect,${id},${fromDomain},1,2,Changed note,${user.id}`);
    const lines = (await file('ndjson')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual((await audit(user)).data);
  });

  it('cannot be altered, not even by the database user', async () => {
    const { database } = history.api;
    for (const table of ['audit_log', 'redirect_versions']) {
      const column = table === 'audit_log' ? 'summary' : 'delta';
      await expect(database.query(`UPDATE ${table} SET ${column} = 'nothing happened'`)).rejects.toThrow(
        'cannot be altered',
      );
    }
  });

  it('keeps entries for the days of the plan, and nothing of an erased account', async () => {
    const { database } = history.api;
    const [user, other] = [await history.api.createUser(), await history.api.createUser()];
    const [{ id }, { id: otherId }] = [await createRedirect(user), await createRedirect(other)];
    await history.call(user, 'PATCH', `/redirects/${id}`, { note: 'x' });
    const days = (plan: typeof PLANS.free) => plan.perRedirect.analyticsRetentionDays;
    const later = days(PLANS.free) + 1;
    const retention = createHistoryRetention({
      database,
      plansOf: async (_, ids) =>
        new Map(ids.map((one) => [one, one === user.id ? PLANS.free : PLANS.business])),
      logger: pino({ level: 'silent' }),
      nowMs: () => Date.now() + later * 86_400_000,
    });
    expect(days(PLANS.business)).toBeGreaterThan(later);
    expect(await retention.runRound()).toBe(2);
    expect((await audit(user)).data).toEqual([]);
    expect((await history.call(user, 'GET', `/redirects/${id}/versions`)).data).toEqual([]);
    expect((await audit(other)).data).toHaveLength(1);
    // The current state stays known.
    expect(await history.state(user, id, 2)).toEqual(await history.shown(user, id));
    expect(await eraseSomeHistory(database, other.id)).toBe(false);
    await history.call(user, 'PATCH', `/redirects/${id}`, { note: 'after' });
    expect((await history.state(user, id, 2)).redirect.note).toBe('x');
    const left = await database.query('SELECT FROM redirect_versions WHERE redirect_id = $1', [otherId]);
    expect(left).toEqual([]);
  });

  it('forgets page by page since when versions are served that are not known any more', async () => {
    const { database } = history.api;
    const user = await history.api.createUser();
    const { id } = await createRedirect(user);
    await history.call(user, 'PATCH', `/redirects/${id}`, { toDomain: 'https://other.example' });
    const served = () =>
      database.query('SELECT redirect_id AS id, version FROM served_versions WHERE redirect_id = ANY ($1)', [
        [id, '0', 'zz'],
      ]);
    const kept = await served();
    expect(kept).toEqual([{ id, version: 2 }]);
    await database.query(`INSERT INTO served_versions
      SELECT id, version, 1, 1 FROM unnest(ARRAY['0', 'zz']) AS ids (id), generate_series(1, 5) AS version`);
    let pages = 0;
    let after: ServedVersion | undefined = { redirectId: '', version: 0 };
    for (; after !== undefined; pages += 1) after = await historyRepository.forgetServed(database, after, 2);
    expect(pages).toBeGreaterThan(5);
    expect(await served()).toEqual(kept);
  });
});

describe('versions', () => {
  it('are paged, and refuse numbers that are none', async () => {
    const user = await history.api.createUser();
    const { id } = await createRedirect(user);
    for (const note of ['a', 'b', 'c']) await history.call(user, 'PATCH', `/redirects/${id}`, { note });
    const first = await history.call(user, 'GET', `/redirects/${id}/versions?limit=3`);
    const rest = await history.call(
      user,
      'GET',
      `/redirects/${id}/versions?limit=3&cursor=${first.page.nextCursor}`,
    );
    expect([...first.data, ...rest.data].map(({ version }) => version)).toEqual([4, 3, 2, 1]);
    expect(rest.page.nextCursor).toBeNull();
    const get = (path: string) =>
      history.api.call('GET', `/redirects/${id}/versions/${path}`, { token: user.token });
    expect((await get('5')).status).toBe(404);
    expect((await get('x')).json.error).toMatchObject({ code: 'INVALID_REQUEST', field: 'n' });
    expect((await get('3/diff')).json.changes).toEqual([{ path: 'redirect.note', before: 'a', after: 'b' }]);
    expect((await get('1/diff?against=4')).json.changes).toEqual([
      { path: 'redirect.note', before: 'c', after: '' },
    ]);
    expect((await get('1/diff')).json.changes).toMatchObject([
      { path: 'redirect', before: null, after: { note: '' } },
    ]);
  });

  it('of a redirect from before the versions begin with its first change, and the state before it is known', async () => {
    const user = await history.api.createUser();
    const { id } = await createRedirect(user);
    await history.api.database.query('DELETE FROM redirect_versions WHERE redirect_id = $1', [id]);
    const before = await history.shown(user, id);
    await history.call(user, 'PATCH', `/redirects/${id}`, { note: 'first known' });
    const { data } = await history.call(user, 'GET', `/redirects/${id}/versions`);
    expect(data.map(({ version }: { version: number }) => version)).toEqual([2]);
    expect(await history.state(user, id, 1)).toEqual(before);
    const { at, action } = await history.call(user, 'GET', `/redirects/${id}/versions/1`);
    expect([at, action]).toEqual([null, null]);
  });

  it('do not guess what was before a change of an earlier release', async () => {
    const user = await history.api.createUser();
    const { id } = await createRedirect(user);
    await history.call(user, 'PATCH', `/redirects/${id}`, { note: 'a' });
    // An earlier release raises the number and records nothing.
    await history.api.database.query('UPDATE redirects SET note = $2, version = version + 1 WHERE id = $1', [
      id,
      'unrecorded',
    ]);
    await history.call(user, 'PATCH', `/redirects/${id}`, { note: 'c' });
    expect((await history.state(user, id, 3)).redirect.note).toBe('unrecorded');
    const { status } = await history.api.call('GET', `/redirects/${id}/versions/2`, { token: user.token });
    expect(status).toBe(404);
  });

  it('of a large table are compressed, and give all entries back', async () => {
    const user = await history.api.createUser();
    const { id } = await createRedirect(user);
    const table = (host: string) =>
      Array.from({ length: 3_000 }, (_, at) => ({
        source: `/path-${at}`,
        destination: `https://${host}.example/${at}`,
      }));
    await history.call(user, 'PUT', `/redirects/${id}/paths`, { entries: table('first') });
    await history.call(user, 'PUT', `/redirects/${id}/paths`, { entries: table('second') });
    const [stored] = await history.api.database.query<{ bytes: number; delta: string | null }>(
      'SELECT length(packed) AS bytes, delta FROM redirect_versions WHERE redirect_id = $1 AND version = 3',
      [id],
    );
    expect(stored?.delta).toBeNull();
    expect(stored?.bytes).toBeLessThan(100_000);
    const { paths } = await history.call(user, 'GET', `/redirects/${id}/versions/2?limit=2000`);
    const rest = await history.call(
      user,
      'GET',
      `/redirects/${id}/versions/2?limit=2000&cursor=${paths.nextCursor}`,
    );
    const entries = [...paths.entries, ...rest.paths.entries];
    expect(entries.map(({ destination }) => destination)).toEqual(
      table('first').map(({ destination }) => destination),
    );
    expect(rest.paths.nextCursor).toBeNull();
  });
});
