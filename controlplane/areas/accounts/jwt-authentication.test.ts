import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../shared/config/environment.js';
import { startApi, type TestApi } from '../../http/api.fixture.js';
import { SCOPES } from '../../http/scopes.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import {
  AUDIENCE,
  ISSUER,
  type JwksServer,
  newSigningKey,
  type SigningKey,
  signJwt,
  startJwksServer,
} from './jwks-server.fixture.js';

let test: TestDatabase;
let key: SigningKey;
let jwks: JwksServer;
let api: TestApi;

const nowSeconds = () => Math.floor(Date.now() / 1000);
const whoAmI = (token: string, on = api) => on.call('GET', '/auth/user', { token });
const start = (jwt: { jwksUrl?: string; publicKey?: string }, jwksCooldownMs = 0) =>
  startApi({
    database: test.database,
    jwksCooldownMs,
    accounts: {
      jwt: {
        jwksUrl: undefined,
        publicKey: undefined,
        issuer: ISSUER,
        audience: AUDIENCE,
        maxTokenDays: 90,
        ...jwt,
      },
    },
  });

const x25519PublicKey = () =>
  generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();

beforeAll(async () => {
  test = await openTestDatabase();
  key = await newSigningKey('first');
  jwks = await startJwksServer(key);
  api = await start({ jwksUrl: jwks.url });
});
afterAll(async () => {
  await api.close();
  await jwks.close();
  await test.close();
});
beforeEach(() => jwks.publish(key));

it('a token of a JWT user creates no token that outlives it', async () => {
  const create = (token: string, body: object) =>
    api.call('POST', '/auth/tokens', { token, body: { name: 'a script', ...body } });
  const first = await create(await signJwt({ key, claims: { sub: 'chain' } }), { expiresInDays: 30 });
  expect(first.status).toBe(201);
  for (const body of [{}, { expiresInDays: null }, { expiresInDays: 90 }]) {
    const second = await create(first.json.token, body);
    expect([second.status, second.json.expiresAt]).toEqual([201, first.json.expiresAt]);
  }
});

it.each([{}, { expiresInDays: null }, { expiresInDays: 3_650 }])(
  'a token that a JWT created with %j ends after the configured days',
  async (body) => {
    const token = await signJwt({ key, claims: { sub: 'limited' } });
    const before = Date.now();
    const { status, json } = await api.call('POST', '/auth/tokens', {
      token,
      body: { name: 'a script', ...body },
    });
    expect(status).toBe(201);
    const days = (Date.parse(json.expiresAt) - before) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThan(90.1);
  },
);

describe('a JWT of the configured issuer', () => {
  it('makes its subject a user when it is first seen, and is the same user from then on', async () => {
    const first = await whoAmI(await signJwt({ key, claims: { sub: 'newcomer' } }));
    expect(first.status).toBe(200);
    expect(first.json.user).toMatchObject({ email: null });
    const second = await whoAmI(await signJwt({ key, claims: { sub: 'newcomer', jti: 'another' } }));
    expect(second.json.user).toEqual(first.json.user);
    const other = await whoAmI(await signJwt({ key, claims: { sub: 'other' } }));
    expect(other.json.user.id).not.toBe(first.json.user.id);
  });

  it('makes one user when many requests come at once', async () => {
    const token = await signJwt({ key, claims: { sub: 'crowd' } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => whoAmI(token)));
    expect(new Set(answers.map(({ json }) => json.user?.id)).size).toBe(1);
  });

  it.each(['RS256', 'PS512', 'ES384', 'EdDSA', 'Ed25519'])('may be signed with %s', async (alg) => {
    const other = await newSigningKey(alg, alg);
    await jwks.publish(key, other);
    expect((await whoAmI(await signJwt({ key: other }))).status).toBe(200);
  });

  it.each([
    ['a list of audiences with ours in it', () => ({ aud: ['other', AUDIENCE] })],
    ['an end that passed 2 s ago, as clocks differ', () => ({ exp: nowSeconds() - 2 })],
    ['a beginning in 3 s', () => ({ nbf: nowSeconds() + 3 })],
  ])('is taken with %s', async (_what, claims) => {
    expect((await whoAmI(await signJwt({ key, claims: claims() }))).status).toBe(200);
  });

  it.each([
    ['no scope claim', undefined, SCOPES],
    ['scopes of ours', 'tokens:write redirects:read', ['redirects:read', 'tokens:write']],
    ['scopes of ours and of others', 'openid tokens:write root', ['tokens:write']],
  ])('with %s can do accordingly', async (_what, scope, expected) => {
    const token = await signJwt({ key, claims: { scope } });
    const { json } = await api.call('POST', '/auth/tokens', { token, body: { name: 'child' } });
    expect(json.scopes).toEqual(expected);
  });

  it.each(['openid profile', '', ['tokens:write'], 1])(
    'with the scope claim %j can do nothing of that',
    async (scope) => {
      const token = await signJwt({ key, claims: { scope } });
      const { status, json } = await api.call('GET', '/auth/tokens', { token });
      expect(status).toBe(403);
      expect(json.error.code).toBe('INSUFFICIENT_SCOPE');
    },
  );
});

describe('the address in a JWT', () => {
  const emailOf = async (claims: Record<string, unknown>) =>
    (await whoAmI(await signJwt({ key, claims }))).json.user.email;

  it('becomes the address of the user when the issuer has checked it', async () => {
    const claims = { sub: 'checked', email: 'Checked@Example.com', email_verified: true };
    expect((await whoAmI(await signJwt({ key, claims }))).json).toMatchObject({
      user: { email: 'checked@example.com', isEmailVerified: true },
      isEmailVerified: true,
    });
  });

  it.each([
    ['is not checked', { email: 'claimed@example.com' }],
    ['is said not to be checked', { email: 'claimed@example.com', email_verified: false }],
    ['is checked only in words', { email: 'claimed@example.com', email_verified: 'true' }],
    ['is no address', { email: 'claimed', email_verified: true }],
    ['is no text', { email: ['claimed@example.com'], email_verified: true }],
  ])('is left out when it %s', async (what, claims) => {
    expect(await emailOf({ sub: what, ...claims })).toBeNull();
  });

  it('does not open the account of the user who has it here', async () => {
    const { id, email } = await api.createUser();
    const { json } = await whoAmI(
      await signJwt({ key, claims: { sub: 'twin', email, email_verified: true } }),
    );
    expect(json.user.id).not.toBe(id);
    expect(json.user).toMatchObject({ email: null, isEmailVerified: false });
  });
});

describe('a JWT that is not to be believed', () => {
  const claims: readonly [string, Record<string, unknown>][] = [
    ['of another issuer', { iss: 'https://login.example/' }],
    ['without an issuer', { iss: undefined }],
    ['for another audience', { aud: 'another-api' }],
    ['without an audience', { aud: undefined }],
    ['without an end', { exp: undefined }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject of 256 characters', { sub: 'x'.repeat(256) }],
    ['with U+0000 in its subject', { sub: 'a\0b' }],
    ['that begins in an hour', { nbf: nowSeconds() + 3600 }],
    ['whose end is no number', { exp: 'tomorrow' }],
  ];
  it.each(claims)('%s is refused', async (_what, changed) => {
    const { status, json } = await whoAmI(await signJwt({ key, claims: changed }));
    expect(status).toBe(401);
    expect(json.error.code).toBe('INVALID_TOKEN');
  });

  it('past its end is answered with EXPIRED_TOKEN', async () => {
    const { status, json } = await whoAmI(await signJwt({ key, claims: { exp: nowSeconds() - 6 } }));
    expect(status).toBe(401);
    expect(json.error.code).toBe('EXPIRED_TOKEN');
  });

  const payload = () => ({ iss: ISSUER, aud: AUDIENCE, sub: 'intruder', exp: nowSeconds() + 300 });
  const unsigned = () => new UnsecuredJWT(payload()).encode();
  const forgeries: readonly [string, () => Promise<string>][] = [
    ['that is not signed (alg none)', async () => unsigned()],
    ['that says alg none and has a signature', async () => `${unsigned()}c2lnbmF0dXJl`],
    [
      'signed by HMAC with the public key as it is published',
      async () =>
        new SignJWT(payload())
          .setProtectedHeader({ alg: 'HS256', kid: key.kid })
          .sign(new TextEncoder().encode(JSON.stringify(await exportJWK(key.publicKey)))),
    ],
    ['signed with a key of the same id', async () => signJwt({ key: await newSigningKey(key.kid) })],
    ['signed with an unknown key', async () => signJwt({ key: await newSigningKey('unknown') })],
    [
      'that brings its own key',
      async () => {
        const own = await newSigningKey('own');
        return signJwt({ key: own, header: { kid: undefined, jwk: await exportJWK(own.publicKey) } });
      },
    ],
    [
      'whose claims were changed',
      async () => {
        const [header, , signature] = (await signJwt({ key })).split('.');
        return [header, Buffer.from(JSON.stringify(payload())).toString('base64url'), signature].join('.');
      },
    ],
    [
      'with a critical header that nobody knows',
      async () =>
        new SignJWT(payload())
          .setProtectedHeader({ alg: key.alg, kid: key.kid, crit: ['new-rule'], 'new-rule': true })
          .sign(key.privateKey, { crit: { 'new-rule': true } }),
    ],
    ['cut short', async () => (await signJwt({ key })).slice(0, -10)],
    ['that is three dots', async () => '...'],
    ['that is no JSON', async () => 'bm90.anNvbg.c2ln'],
  ];
  it.each(forgeries)('%s is refused', async (_what, forge) => {
    const { status, json } = await whoAmI(await forge());
    expect(status).toBe(401);
    expect(json.error.code).toBe('INVALID_TOKEN');
  });

  it('leaves no user behind', async () => {
    const rows = await test.database.query('SELECT 1 FROM users WHERE external_subject LIKE $1', [
      '%intruder',
    ]);
    expect(rows).toEqual([]);
  });
});

describe('the key set of the issuer', () => {
  it('is fetched once for many tokens', async () => {
    const server = await startJwksServer(key);
    const calm = await start({ jwksUrl: server.url }, 30_000);
    for (const sub of ['a', 'b', 'c']) await whoAmI(await signJwt({ key, claims: { sub } }), calm);
    expect(server.fetchCount).toBe(1);
    await calm.close();
    await server.close();
  });

  it('is not fetched again for every token with an unknown key', async () => {
    const server = await startJwksServer(key);
    const calm = await start({ jwksUrl: server.url }, 30_000);
    const unknown = await signJwt({ key: await newSigningKey('unknown') });
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await whoAmI(unknown, calm)).status).toBe(401);
    expect(server.fetchCount).toBe(1);
    await calm.close();
    await server.close();
  });

  it('is fetched again when the issuer has changed its key, and the old key ends', async () => {
    const next = await newSigningKey('second');
    const [oldToken, newToken] = [await signJwt({ key }), await signJwt({ key: next })];
    expect((await whoAmI(oldToken)).status).toBe(200);
    expect((await whoAmI(newToken)).json.error?.code).toBe('INVALID_TOKEN');
    await jwks.publish(next);
    expect((await whoAmI(newToken)).status).toBe(200);
    expect((await whoAmI(oldToken)).json.error?.code).toBe('INVALID_TOKEN');
  });

  it.each<[string, Parameters<JwksServer['answerWith']>[0]]>([
    ['answers 500', (response) => response.writeHead(500).end()],
    ['redirects elsewhere', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['sends no JSON', (response) => response.end('<html>')],
    ['sends no key set', (response) => response.end('{"keys":1}')],
    ['breaks the connection', (response) => response.destroy()],
  ])('that %s makes it 503, and what needs no key goes on', async (_what, answer) => {
    const server = await startJwksServer(key);
    server.answerWith(answer);
    const cut = await start({ jwksUrl: server.url });
    const token = await signJwt({ key });
    const { status, json, body } = await whoAmI(token, cut);
    expect(status).toBe(503);
    expect(json.error.code).toBe('SERVICE_UNAVAILABLE');
    expect(body).not.toContain(server.url);
    expect((await cut.call('GET', '/healthz', { token })).status).toBe(200);
    expect((await whoAmI((await cut.createUser()).token, cut)).status).toBe(200);
    await server.publish(key);
    expect((await whoAmI(token, cut)).status).toBe(200);
    await cut.close();
    await server.close();
  });
});

describe('a configured public key', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('of %s checks tokens, also on one line with \\n', async (alg) => {
    const own = await newSigningKey('any', alg);
    const publicKey = (await exportSPKI(own.publicKey)).replaceAll('\n', '\\n');
    const other = await start({ publicKey });
    expect((await whoAmI(await signJwt({ key: own }), other)).status).toBe(200);
    expect((await whoAmI(await signJwt({ key: await newSigningKey('any', alg) }), other)).status).toBe(401);
    const secret = new TextEncoder().encode(await exportSPKI(own.publicKey));
    const confused = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: nowSeconds() + 300 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret);
    expect((await whoAmI(confused, other)).json.error?.code).toBe('INVALID_TOKEN');
    await other.close();
  });

  it.each([
    ['is no PEM', async () => 'secret'],
    ['is a private key', async () => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['cannot sign', async () => x25519PublicKey()],
  ])('that %s stops the start', async (_what, make) => {
    const refusal = await start({ publicKey: await make() }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain('JWT_PUBLIC_KEY');
  });
});

describe('without JWTs configured', () => {
  it('they are refused like any unknown token', async () => {
    const plain = await startApi({ database: test.database });
    const { status, json } = await whoAmI(await signJwt({ key }), plain);
    expect(status).toBe(401);
    expect(json.error.code).toBe('INVALID_TOKEN');
    await plain.close();
  });
});
