import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestUser } from '../../http/api.fixture.js';
import { SCOPES } from '../../http/scopes.js';

const DAY_MS = 86_400_000;

let api: TestApi;
let user: TestUser;
let nowMs: number;

beforeAll(async () => {
  nowMs = Date.now();
  api = await startApi({ nowMs: () => nowMs });
  user = await api.createUser();
});
afterAll(() => api.close());

const create = (body: unknown, token = user.token) => api.call('POST', '/auth/tokens', { token, body });
const whoAmI = (token: string) => api.call('GET', '/auth/user', { token });

describe('creating a token', () => {
  it('answers with a token that works, has all scopes of the caller and no end', async () => {
    const { status, json } = await create({ name: '  deployment ' });
    expect(status).toBe(201);
    expect(json).toEqual({
      token: expect.stringMatching(/^wm_[A-Za-z0-9_-]{43}$/),
      id: expect.any(String),
      name: 'deployment',
      scopes: SCOPES,
      expiresAt: null,
      lastUsedAt: null,
      createdAt: expect.stringMatching(/T.*\.\d{3}Z$/),
    });
    expect((await whoAmI(json.token)).json.user.id).toBe(user.id);
  });

  it('has no end with null for its days', async () => {
    expect(await create({ name: 'endless', expiresInDays: null })).toMatchObject({
      status: 201,
      json: { expiresAt: null },
    });
  });

  it('takes a choice of scopes and a number of days', async () => {
    const wanted = ['redirects:write', 'redirects:read', 'redirects:read'];
    const { json } = await create({ name: 'narrow', scopes: wanted, expiresInDays: 30 });
    expect(json.scopes).toEqual(['redirects:read', 'redirects:write']);
    expect(Date.parse(json.expiresAt)).toBe(nowMs + 30 * DAY_MS);
  });

  it('gives away no more than the token of the request has', async () => {
    const narrow = await api.createToken(user.id, { scopes: ['tokens:write', 'redirects:read'] });
    const refused = await create({ name: 'more', scopes: ['redirects:read', 'billing:write'] }, narrow);
    expect(refused.status).toBe(422);
    expect(refused.json.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'scopes' });
    expect(refused.json.error.message).toContain('billing:write');
    expect((await create({ name: 'same' }, narrow)).json.scopes).toEqual(['redirects:read', 'tokens:write']);
  });

  it('needs the scope tokens:write', async () => {
    const narrow = await api.createToken(user.id, { scopes: ['redirects:write'] });
    const { status, json } = await create({ name: 'any' }, narrow);
    expect(status).toBe(403);
    expect(json.error).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect(json.error.message).toContain('tokens:write');
  });

  it.each([
    ['no name', {}, 'name'],
    ['a name of blanks', { name: '  ' }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['a name with U+0000', { name: 'a\0b' }, 'name'],
    ['an unknown scope', { name: 'a', scopes: ['redirects:read', 'root'] }, 'scopes.1'],
    ['no scope at all', { name: 'a', scopes: [] }, 'scopes'],
    ['scopes in one string', { name: 'a', scopes: 'redirects:read' }, 'scopes'],
    ['0 days', { name: 'a', expiresInDays: 0 }, 'expiresInDays'],
    ['3651 days', { name: 'a', expiresInDays: 3651 }, 'expiresInDays'],
    ['half a day', { name: 'a', expiresInDays: 0.5 }, 'expiresInDays'],
    ['days in a string', { name: 'a', expiresInDays: '30' }, 'expiresInDays'],
    ['a user to make it for', { name: 'a', userId: 'somebody' }, 'userId'],
  ])('refuses %s', async (_what, body, field) => {
    const { status, json } = await create(body);
    expect(status).toBe(422);
    expect(json.error).toMatchObject({ code: 'VALIDATION_ERROR', field });
  });

  it('has a bound for each user', async () => {
    const { id, token } = await api.createUser();
    await api.database.query(
      `INSERT INTO tokens (id, user_id, name, token_hash, scopes, expires_at)
       SELECT $1 || n, $1, 'many', decode(md5($1 || n), 'hex'), '{}', now() - interval '1 day'
       FROM generate_series(1, 499) AS n`,
      [id],
    );
    expect((await create({ name: 'those have ended' }, token)).status).toBe(201);
    await api.database.query('UPDATE tokens SET expires_at = NULL WHERE user_id = $1', [id]);
    const { status, json } = await create({ name: 'one more' }, token);
    expect(status).toBe(422);
    expect(json.error.message).toContain('500 tokens');
  });
});

describe('the list of tokens', () => {
  it('has the newest first, without the tokens themselves and without those of others', async () => {
    const { id, token } = await api.createUser();
    const names = ['one', 'two', 'three'];
    const secrets: string[] = [];
    for (const name of names) secrets.push((await create({ name }, token)).json.token);
    const { status, json, body } = await api.call('GET', '/auth/tokens', { token });
    expect(status).toBe(200);
    expect(json.tokens.map(({ name }: { name: string }) => name)).toEqual(['three', 'two', 'one', 'test']);
    for (const secret of [token, ...secrets]) expect(body).not.toContain(secret);
    expect(body).not.toContain(id);
  });

  it('forgets tokens that ended more than 30 days ago when a new one is made', async () => {
    const { id, token } = await api.createUser();
    await api.createToken(id, { expiresAt: new Date(Date.now() - 31 * DAY_MS) });
    await api.createToken(id, { expiresAt: new Date(Date.now() - 29 * DAY_MS) });
    await create({ name: 'new' }, token);
    const { json } = await api.call('GET', '/auth/tokens', { token });
    expect(json.tokens).toHaveLength(3);
  });
});

describe('deleting a token', () => {
  it('makes it unknown at once, although it was in use', async () => {
    const { json } = await create({ name: 'short-lived' });
    expect((await whoAmI(json.token)).status).toBe(200);
    const deleted = await api.call('DELETE', `/auth/tokens/${json.id}`, { token: user.token });
    expect(deleted.status).toBe(200);
    expect(deleted.json).toEqual({ message: 'The token short-lived is deleted.' });
    const refused = await whoAmI(json.token);
    expect(refused.status).toBe(401);
    expect(refused.json.error.code).toBe('INVALID_TOKEN');
    const again = await api.call('DELETE', `/auth/tokens/${json.id}`, { token: user.token });
    expect(again.status).toBe(404);
  });

  it('may be done with the token itself', async () => {
    const { json } = await create({ name: 'log out' });
    const { status } = await api.call('DELETE', `/auth/tokens/${json.id}`, { token: json.token });
    expect(status).toBe(200);
    expect((await whoAmI(json.token)).status).toBe(401);
  });

  it('is refused to others, and changes nothing then', async () => {
    const { json } = await create({ name: 'mine' });
    const { token } = await api.createUser();
    const refused = await api.call('DELETE', `/auth/tokens/${json.id}`, { token });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('FORBIDDEN');
    expect((await whoAmI(json.token)).status).toBe(200);
  });

  it.each(['unknown', '0', '%20', '%F0%9F%98%80', "'; DROP TABLE tokens; --"])(
    'answers 404 for the id %s',
    async (id) => {
      const { status, json } = await api.call('DELETE', `/auth/tokens/${id}`, { token: user.token });
      expect(status).toBe(404);
      expect(json.error.code).toBe('NOT_FOUND');
    },
  );

  it.each([
    ['with U+0000', 'a%00b'],
    ['of 129 characters', 'x'.repeat(129)],
  ])('answers 400 for an id %s', async (_what, id) => {
    const { status, json } = await api.call('DELETE', `/auth/tokens/${id}`, { token: user.token });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'INVALID_REQUEST', field: 'id' });
  });
});

describe('a token', () => {
  it('is taken until its end, and then answered with EXPIRED_TOKEN', async () => {
    const { json } = await create({ name: 'a day', expiresInDays: 1 });
    expect((await whoAmI(json.token)).status).toBe(200);
    const before = nowMs;
    nowMs += DAY_MS - 1;
    expect((await whoAmI(json.token)).status).toBe(200);
    nowMs += 1;
    const refused = await whoAmI(json.token);
    nowMs = before;
    expect(refused.status).toBe(401);
    expect(refused.json.error.code).toBe('EXPIRED_TOKEN');
  });

  it('shows when it was last used, to the minute', async () => {
    const { json } = await create({ name: 'watched' });
    const lastUse = async () => {
      const { json: list } = await api.call('GET', '/auth/tokens', { token: user.token });
      return list.tokens.find(({ id }: { id: string }) => id === json.id).lastUsedAt;
    };
    const firstUseMs = nowMs;
    await whoAmI(json.token);
    await expect.poll(lastUse).toBe(new Date(firstUseMs).toISOString());
    nowMs += 59_999;
    await whoAmI(json.token);
    // If this use had been written, the next one would not be.
    nowMs += 1;
    await whoAmI(json.token);
    await expect.poll(lastUse).toBe(new Date(firstUseMs + 60_000).toISOString());
    nowMs = firstUseMs;
  });
});
