import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import swagger from '@fastify/swagger';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteHandlerMethod,
} from 'fastify';
import { type TObject, Type } from 'typebox';
import { ERROR_CODES } from '../errors/error-codes.js';
import { BrokenExamplesSchema } from '../errors/examples-broken.js';
import { useApiReference } from './api-reference.js';
import { finishDocument, type OpenApiDocument } from './openapi/document.js';
import { deriveOperationId } from './openapi/names.js';

const codeList = Object.entries(ERROR_CODES)
  .map(([code, { status, meaning }]) => `- \`${code}\` (${status}): ${meaning}`)
  .join('\n');

/** The error envelope in the OpenAPI document. */
export const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      message: Type.String({ description: 'The problem and what the API accepts.' }),
      code: Type.Enum(Object.keys(ERROR_CODES), { description: codeList }),
      field: Type.Optional(Type.String({ description: 'Dotted path of the invalid member.' })),
    }),
    brokenExamples: Type.Optional(BrokenExamplesSchema),
  },
  { title: 'Error', description: 'The body of every error.' },
);

const DESCRIPTION = `Manage redirects, their rules, analytics and subscriptions.

Requests and responses are JSON. Timestamps are ISO 8601 in UTC with milliseconds. Every response carries
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\` and \`X-Request-Id\`. A POST may carry
\`Idempotency-Key\`: the same key and body within 24 hours return the first answer.

Every 401 carries \`WWW-Authenticate: Bearer\`, with \`error="invalid_token"\` where a token was sent that is not taken.
Whole numbers in a query are decimal digits alone.`;

/** The areas of the API in the order in which they are shown. */
const TAGS = [
  {
    name: 'redirects',
    description:
      'Domains, where they lead, and the proof of their ownership. Requests from `Waymark-Destination-Check` ask whether destinations of redirects work: HEAD or GET about once a day, at most one check of a site every 5 seconds. `Retry-After` is respected.',
  },
  {
    name: 'rules',
    description: 'Other destinations for some visitors: by condition, by percentage, or as an A/B test.',
  },
  { name: 'paths', description: 'Destinations of single paths of a redirect.' },
  { name: 'drafts', description: 'Changes that are collected, tested and published together; rollbacks.' },
  {
    name: 'examples',
    description: 'Visits and the answers that they must get. Changes that break them are refused.',
  },
  { name: 'history', description: 'Versions of redirects, and the log of all changes.' },
  { name: 'imports', description: 'Files of redirects or paths, also those of other systems.' },
  { name: 'certificates', description: 'Certificates of the hosts of redirects, for HTTPS.' },
  { name: 'analytics', description: 'Statistics of the visits of a redirect.' },
  { name: 'experiments', description: 'Results of A/B tests and percentages, and their conversions.' },
  { name: 'billing', description: 'Plans, checkouts, subscriptions and payments.' },
  { name: 'accounts', description: 'Users and their access tokens.' },
  { name: 'webhooks', description: 'Messages to your own programs.' },
  { name: 'operations', description: 'Health, and what operators need.' },
];

/** Serves the OpenAPI document made from the route schemas, and a page to browse it. */
export async function useOpenApi(app: FastifyInstance, options: { readonly version: string }): Promise<void> {
  const optionalBodies = new Set<string>();
  // Every route can answer with an error. Stated once here instead of in each schema.
  app.addHook('onRoute', (route) => {
    if (route.schema === undefined || route.schema.hide === true) return;
    const responses = (route.schema.response ?? {}) as Record<string, unknown>;
    route.schema.response = { ...responses, '4xx': ErrorSchema, '5xx': ErrorSchema };
    if (route.config?.public === true) route.schema.security = [];
    route.schema.operationId ??= deriveOperationId(String(route.method), route.url);
    if (route.config?.optionalBody === true) optionalBodies.add(route.schema.operationId);
  });

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Waymark',
        version: options.version,
        description: DESCRIPTION,
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'The server of this document.' }],
      tags: TAGS,
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    convertConstToEnum: false,
    transform: ({ schema, url }) => ({ schema: withOptionalDefaults(schema), url }),
    transformObject: (made) =>
      'openapiObject' in made
        ? finishDocument(made.openapiObject as OpenApiDocument, ErrorSchema, optionalBodies)
        : {},
  });

  const document = serveDocument(() => app.swagger());
  app.get('/openapi.json', { config: { public: true, uncounted: true }, schema: { hide: true } }, document);
  useApiReference(app, document);
}

/** The handler always gets a query parameter with a default, and callers may omit it. */
function withOptionalDefaults(schema: FastifySchema): FastifySchema {
  const query = schema?.querystring as Partial<TObject> | undefined;
  if (query?.properties === undefined) return schema;
  const { properties } = query;
  const required = query.required?.filter((name) => !('default' in (properties[name] ?? {})));
  return { ...schema, querystring: { ...query, required } };
}

const compress = promisify(gzip);
/** Matches `gzip` unless its weight is 0. */
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;

interface Served {
  readonly body: Buffer;
  readonly compressed: Buffer;
  readonly etag: string;
}

/**
 * Returns a handler that answers with the document as JSON, compressed for clients that accept gzip. It is written and
 * compressed once, at the first request.
 *
 * @param read is called once, after all routes are registered
 */
function serveDocument(read: () => object): RouteHandlerMethod {
  let serving: Promise<Served> | undefined;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    serving ??= prepare(read());
    const { body, compressed, etag } = await serving;
    // The tag is weak, because both encodings share it.
    reply.header('ETag', etag).header('Cache-Control', 'no-cache').header('Vary', 'Origin, Accept-Encoding');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    reply.type('application/json; charset=utf-8');
    if (!ACCEPTS_GZIP.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(body);
    return reply.header('Content-Encoding', 'gzip').send(compressed);
  };
}

async function prepare(document: object): Promise<Served> {
  const body = Buffer.from(JSON.stringify(document));
  const compressed = await compress(body, { level: 9 });
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 16);
  return { body, compressed, etag: `W/"${digest}"` };
}
