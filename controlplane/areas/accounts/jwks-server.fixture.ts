import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';

export const ISSUER = 'https://login.example';
export const AUDIENCE = 'waymark';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export async function newSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  return { kid, alg, ...(await generateKeyPair(alg, { extractable: true })) };
}

export interface JwtOptions {
  readonly key: SigningKey;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** A valid JWT, except for `claims`; a claim of `undefined` is left out. */
export function signJwt({ key, claims = {}, header = {} }: JwtOptions): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const payload = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'somebody',
    iat: nowSeconds,
    exp: nowSeconds + 300,
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
}

export interface JwksServer {
  readonly url: string;
  readonly fetchCount: number;
  /** Replaces the keys of the set. */
  publish(...keys: readonly SigningKey[]): Promise<void>;
  /** Answers with something other than a key set, until the next `publish`. */
  answerWith(answer: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** A key set as an identity provider serves it. */
export async function startJwksServer(...keys: readonly SigningKey[]): Promise<JwksServer> {
  let fetchCount = 0;
  let answer: (response: ServerResponse) => void = (response) => response.end();
  const server = createServer((_request, response) => {
    fetchCount += 1;
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function publish(...published: readonly SigningKey[]): Promise<void> {
    const set: JSONWebKeySet = {
      keys: await Promise.all(
        published.map(async ({ publicKey, kid, alg }) => ({ ...(await exportJWK(publicKey)), kid, alg })),
      ),
    };
    answer = (response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(set));
  }
  await publish(...keys);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    get fetchCount() {
      return fetchCount;
    },
    publish,
    answerWith(other) {
      answer = other;
    },
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
