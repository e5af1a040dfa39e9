import type { FastifyPluginAsync } from 'fastify';
import {
  asCertificatesRequest,
  CERTIFICATES_PATH,
  type CertificatesAnswer,
  type CertificatesRequest,
} from '../../../shared/certificates/certificate-exchange.js';
import type { SecretKeys } from '../../../shared/config/secret-key.js';
import { messageOf } from '../../../shared/process/error-facts.js';
import { AppError } from '../../errors/app-error.js';
import { requireInternalToken } from '../../http/internal-token.js';

/**
 * Certificates with their keys, encrypted, for data planes. Not a part of the API: it accepts the token that processes of
 * this installation share, and no user's.
 */
export function createInternalRoutes(
  secrets: SecretKeys,
  answer: (fingerprints: readonly string[], names?: readonly string[]) => Promise<CertificatesAnswer>,
): FastifyPluginAsync {
  return async (app) => {
    requireInternalToken(app, secrets);
    app.post(
      CERTIFICATES_PATH,
      { config: { public: true, uncounted: true }, schema: { hide: true } },
      async (request, reply) => {
        reply.header('Cache-Control', 'no-store');
        const { fingerprints, names } = requestIn(request.body);
        return answer(fingerprints, names);
      },
    );
  };
}

/** @throws {AppError} INVALID_REQUEST */
function requestIn(body: unknown): CertificatesRequest {
  try {
    return asCertificatesRequest(body);
  } catch (error) {
    const message = messageOf(error);
    throw new AppError('INVALID_REQUEST', { field: message.split(' ', 1)[0] ?? '', message: `${message}.` });
  }
}
