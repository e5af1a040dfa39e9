import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../shared/config/environment.js';
import { SCOPES } from '../../http/scopes.js';
import type { Database } from '../../storage/postgres/database.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { hashTokenSecret } from './access-token.js';
import { bootstrapFirstUser } from './bootstrap.js';
import { tokenRepository } from './token-repository.js';
import { userRepository } from './user-repository.js';

const EMAIL = 'owner@example.com';
const TOKEN = `wm_${'a'.repeat(43)}`;
const DEFAULT_EMAIL = 'admin@waymark.localhost';

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await openTestDatabase();
  database = test.database;
});
afterAll(() => test.close());
beforeEach(() => database.query('DELETE FROM users'));

const ownerOf = async (token: string | undefined) =>
  tokenRepository.findByHash(database, hashTokenSecret(token ?? ''));
const count = async (table: 'users' | 'tokens') =>
  (await database.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))[0]?.count;

describe('the first user', () => {
  it('has the address and the token that are configured, with all scopes and without an end', async () => {
    const made = await bootstrapFirstUser(database, {
      email: ' Owner@Example.com',
      token: TOKEN,
      generate: false,
    });
    expect(made).toEqual({ email: EMAIL, token: TOKEN, created: true });
    expect(await ownerOf(TOKEN)).toMatchObject({ email: EMAIL, token: { scopes: SCOPES, expiresAt: null } });
    expect((await userRepository.findCredentials(database, EMAIL))?.passwordHash).toBeUndefined();
  });

  it('is left as it is at the next start', async () => {
    const options = { email: EMAIL, token: TOKEN, generate: true };
    await bootstrapFirstUser(database, options);
    expect(await bootstrapFirstUser(database, options)).toEqual({
      email: EMAIL,
      token: TOKEN,
      created: false,
    });
    expect([await count('users'), await count('tokens')]).toEqual([1, 1]);
  });

  it('gets a further token when another one is configured', async () => {
    const other = `wm_${'b'.repeat(43)}`;
    await bootstrapFirstUser(database, { email: EMAIL, token: TOKEN, generate: false });
    await bootstrapFirstUser(database, { email: EMAIL, token: other, generate: false });
    expect([await count('users'), await count('tokens')]).toEqual([1, 2]);
  });

  it('may have signed up before', async () => {
    await userRepository.insert(database, { id: 'signed-up', email: EMAIL, passwordHash: 'x' });
    expect(await bootstrapFirstUser(database, { email: EMAIL, token: TOKEN, generate: false })).toMatchObject(
      {
        created: false,
      },
    );
    expect((await ownerOf(TOKEN))?.token.userId).toBe('signed-up');
  });

  it('has a default address when only the token is configured', async () => {
    await bootstrapFirstUser(database, { token: TOKEN, generate: false });
    expect(await ownerOf(TOKEN)).toMatchObject({ email: DEFAULT_EMAIL });
  });

  it('is made up on the very first start where that is wanted, and its token is told once', async () => {
    const first = await bootstrapFirstUser(database, { generate: true });
    expect(first).toMatchObject({ email: DEFAULT_EMAIL, created: true });
    expect(await ownerOf(first.token)).toMatchObject({ email: DEFAULT_EMAIL, token: { scopes: SCOPES } });
    expect(await bootstrapFirstUser(database, { generate: true })).toEqual({
      email: DEFAULT_EMAIL,
      created: false,
    });
  });

  it('with an address only gets a token where one may be made up', async () => {
    const silent = await bootstrapFirstUser(database, { email: 'one@example.com', generate: false });
    expect(silent).toEqual({ email: 'one@example.com', created: true });
    const told = await bootstrapFirstUser(database, { email: 'two@example.com', generate: true });
    expect(await ownerOf(told.token)).toMatchObject({ email: 'two@example.com' });
  });

  it('is not made up where there are users, nor where nobody wants it', async () => {
    expect(await bootstrapFirstUser(database, { generate: false })).toMatchObject({ created: false });
    expect(await count('users')).toBe(0);
    await userRepository.insert(database, { id: 'somebody', email: EMAIL });
    expect(await bootstrapFirstUser(database, { generate: true })).toMatchObject({ created: false });
    expect(await count('users')).toBe(1);
  });

  it.each([
    ['made up', { generate: true }],
    ['configured', { email: EMAIL, token: TOKEN, generate: false }],
  ])('is one when several processes start at once (%s)', async (_how, options) => {
    const made = await Promise.all(Array.from({ length: 5 }, () => bootstrapFirstUser(database, options)));
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect([await count('users'), await count('tokens')]).toEqual([1, 1]);
  });

  it.each([
    ['BOOTSTRAP_EMAIL', { email: 'owner', generate: false }],
    ['BOOTSTRAP_TOKEN', { token: 'wm_short', generate: false }],
  ])('is refused with a %s that cannot be used', async (variable, options) => {
    const refusal = await bootstrapFirstUser(database, options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain(variable);
    expect(await count('users')).toBe(0);
  });

  it('does not take the token of another user', async () => {
    await bootstrapFirstUser(database, { email: 'other@example.com', token: TOKEN, generate: false });
    await expect(
      bootstrapFirstUser(database, { email: EMAIL, token: TOKEN, generate: false }),
    ).rejects.toThrow(/BOOTSTRAP_TOKEN/);
    expect(await ownerOf(TOKEN)).toMatchObject({ email: 'other@example.com' });
    expect(await count('users')).toBe(1);
  });
});
