import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import type { SecretKeys } from '../../shared/config/secret-key.js';
import { invalidToken, readBearerToken } from './authentication.js';

/**
 * Refuses requests to the routes of `app` without the token that processes of this installation share. Processes that do not
 * have the new SECRET_KEY yet send that of a previous one.
 */
export function requireInternalToken(app: FastifyInstance, { current, previous }: SecretKeys): void {
  // Hashes have equal lengths, and the time of the comparison reveals nothing about the token.
  const expected = [current, ...previous].map((secret) => sha256(deriveInternalToken(secret)));
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
