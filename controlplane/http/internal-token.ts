import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { invalidToken, readBearerToken } from './authentication.js';

/**
 * Refuses requests to the routes of `app` without the token that processes of this installation share.
 *
 * @param token see `deriveInternalToken`
 * @param previousTokens tokens of processes that do not have the new SECRET_KEY yet
 */
export function requireInternalToken(
  app: FastifyInstance,
  token: string,
  previousTokens: readonly string[] = [],
): void {
  // Hashes have equal lengths, and the time of the comparison reveals nothing about the token.
  const expected = [token, ...previousTokens].map(sha256);
  app.addHook('onRequest', async ({ headers: { authorization } }) => {
    const read = readBearerToken(authorization);
    if ('refusal' in read) throw read.refusal;
    const given = sha256(read.token);
    if (!expected.some((hash) => timingSafeEqual(given, hash))) throw invalidToken();
  });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
