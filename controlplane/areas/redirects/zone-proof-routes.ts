import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../errors/app-error.js';
import { HOST_NAME } from '../../http/documented-formats.js';
import type { Database } from '../../storage/postgres/database.js';
import { parseDomainOrWildcard } from '../domains/public.js';
import { zoneProofs } from './zone-proofs.js';

const MAX_DOMAIN_LENGTH = 512;

const ParamsSchema = Type.Object({
  domain: Type.String({ minLength: 1, maxLength: MAX_DOMAIN_LENGTH, documented: HOST_NAME }),
});

const ZoneProofSchema = Type.Object(
  {
    zone: Type.String({ description: 'Registrable domain.' }),
    name: Type.String({ description: 'Full name of the TXT record.' }),
    zoneValue: Type.String({ description: 'Exact value of the record, without quotes.' }),
  },
  { title: 'ZoneProof' },
);

/** The record with which a user proves all hosts of a zone together. */
export function createZoneProofRoutes({
  database,
}: {
  readonly database: Database;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/domains/:domain/proof',
      {
        config: { scope: 'redirects:read' },
        schema: {
          operationId: 'getZoneProof',
          tags: ['redirects'],
          summary: 'The TXT record that proves a whole zone',
          description:
            'The record proves every host of yours below the registrable domain, including wildcards.',
          params: ParamsSchema,
          response: { 200: ZoneProofSchema },
        },
      },
      async ({ user, params }) => zoneProofs.get(database, user.id, requireDomain(params.domain)),
    );
  };
}

function requireDomain(text: string): string {
  const parsed = parseDomainOrWildcard(text);
  if (parsed.ok) return parsed.domain;
  throw new AppError('INVALID_REQUEST', { field: 'domain', message: parsed.message });
}
