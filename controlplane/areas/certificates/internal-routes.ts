import type { FastifyPluginAsync } from 'fastify';
import {
  asCertificatesRequest,
  CERTIFICATES_PATH,
  type CertificatesAnswer,
} from '../../../shared/certificates/certificate-exchange.js';
import { messageOf } from '../../../shared/process/error-facts.js';
import { AppError } from '../../errors/app-error.js';
import { requireInternalToken } from '../../http/internal-token.js';

export interface InternalRoutesDeps {
  /** See `deriveInternalToken`. */
  readonly token: string;
  /** Tokens of data planes that do not have the new SECRET_KEY yet. Default: none. */
  readonly previousTokens?: readonly string[];
  readonly answer: (fingerprints: readonly string[]) => Promise<CertificatesAnswer>;
}

/**
 * Certificates with their keys, encrypted, for data planes. Not a part of the API: it accepts the token that processes of
 * this installation share, and no user's.
 */
export function createInternalRoutes({
  token,
  previousTokens,
  answer,
}: InternalRoutesDeps): FastifyPluginAsync {
  return async (app) => {
    requireInternalToken(app, token, previousTokens);
    app.post(
      CERTIFICATES_PATH,
      { config: { public: true, uncounted: true }, schema: { hide: true } },
      async (request, reply) => {
        reply.header('Cache-Control', 'no-store');
        return answer(fingerprintsIn(request.body));
      },
    );
  };
}

/** @throws {AppError} INVALID_REQUEST */
function fingerprintsIn(body: unknown): readonly string[] {
  try {
    return asCertificatesRequest(body).fingerprints;
  } catch (error) {
    throw new AppError('INVALID_REQUEST', { field: 'fingerprints', message: `${messageOf(error)}.` });
  }
}
