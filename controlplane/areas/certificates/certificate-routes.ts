import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { PublicTarget } from '../../../shared/config/acme-config.js';
import { AppError } from '../../errors/app-error.js';
import { type IsOperator, requireOperator } from '../../http/current-user.js';
import {
  IfMatchSchema,
  IfNoneMatchSchema,
  ifMatch,
  NotModifiedSchema,
  tagged,
} from '../../http/entity-tags.js';
import { useTag } from '../../http/openapi-tags.js';
import { type Certificate, certificateVersion, type DnsRecord } from './certificate.js';
import {
  CertificateDetailSchema,
  CertificatePageQuerySchema,
  CertificatePageSchema,
  CertificatesToCheckQuerySchema,
  CertificatesToCheckSchema,
  certificateDetail,
  HostParamSchema,
  UploadCertificateSchema,
} from './certificate-schema.js';
import type { CertificateService } from './certificate-service.js';
import type { WarningsOf } from './certificate-warnings.js';
import type { ReadCertificatesToCheck } from './certificates-to-check.js';
import { requiredRecords } from './dns-check.js';
import type { ForecastOrders } from './order-forecast.js';

export interface CertificateRoutesDeps {
  readonly service: CertificateService;
  readonly target: PublicTarget;
  /** Returns the record that a wildcard needs for a certificate; undefined: none. */
  readonly delegationOf: (wildcard: string) => DnsRecord | undefined;
  readonly forecast: ForecastOrders;
  readonly warningsOf: WarningsOf;
  readonly isOperator: IsOperator;
  readonly toCheck: ReadCertificatesToCheck;
}

const read = { scope: 'redirects:read' } as const;
const write = { scope: 'redirects:write' } as const;

/** `/certificates`: the certificates of verified redirects, by host. `/admin/certificates`: those that the operator may have to act on. */
export function createCertificateRoutes({
  service,
  target,
  delegationOf,
  forecast,
  warningsOf,
  isOperator,
  toCheck,
}: CertificateRoutesDeps): FastifyPluginAsyncTypebox {
  async function details(userId: string, certificates: readonly Certificate[]) {
    const [expected, warnings] = await Promise.all([
      forecast(userId, certificates),
      warningsOf(certificates),
    ]);
    return certificates.map((one) =>
      certificateDetail(one, {
        required: [
          ...requiredRecords(one.host, target),
          ...(one.host.startsWith('*.') ? [delegationOf(one.host)] : []).filter(
            (record) => record !== undefined,
          ),
        ],
        warnings: warnings.get(one.served?.fingerprint ?? '') ?? [],
        expectedAt: expected.get(one.host),
      }),
    );
  }

  async function detail(userId: string, certificate: Certificate) {
    const [only] = await details(userId, [certificate]);
    if (only === undefined) throw new Error('one certificate makes one record');
    return only;
  }

  /** Returns the body, with its `ETag`; undefined for 304. */
  async function taggedDetail(request: FastifyRequest, reply: FastifyReply, certificate: Certificate) {
    const version = certificateVersion(certificate);
    return tagged(request, reply, version, await detail(request.user.id, certificate));
  }

  return async (app) => {
    useTag(app, 'certificates');
    app.get(
      '/certificates',
      {
        config: read,
        schema: {
          summary: 'Your certificates, by host',
          querystring: CertificatePageQuerySchema,
          headers: IfNoneMatchSchema,
          response: { 200: CertificatePageSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const { user, query } = request;
        const { limit, cursor, search, state } = query;
        const after = cursor === undefined ? '' : readCursor(cursor);
        const found = await service.page(user.id, { search, state }, after, limit + 1);
        const counts = query.count === true ? await service.count(user.id, { search, state }) : undefined;
        const shown = found.slice(0, limit);
        const last = found.length > limit ? shown.at(-1) : undefined;
        return tagged(request, reply, 0, {
          data: await details(user.id, shown),
          page: { limit, nextCursor: last === undefined ? null : cursorAt(last.host) },
          ...(counts && {
            total: Object.values(counts).reduce((sum, count) => sum + count, 0),
            facets: { state: counts },
          }),
        });
      },
    );

    app.get(
      '/admin/certificates',
      {
        config: { scope: 'all' },
        schema: {
          operationId: 'listCertificatesToCheck',
          tags: ['operations'],
          summary: 'List certificates of all users that end soon or fail',
          description:
            'Only the operator (the first user of the installation) can use it. Has certificates that end within `days`, those of TLS_CERTIFICATES_DIR included, then those whose renewal fails, then hosts that have none.',
          querystring: CertificatesToCheckQuerySchema,
          response: { 200: CertificatesToCheckSchema },
        },
      },
      async ({ user, query }) => {
        await requireOperator(isOperator, user, 'see certificates of all users');
        return toCheck(query);
      },
    );

    app.get(
      '/certificates/:host',
      {
        config: read,
        schema: {
          summary: 'The certificate of a host',
          params: HostParamSchema,
          headers: IfNoneMatchSchema,
          response: { 200: CertificateDetailSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const certificate = await service.get(request.user.id, request.params.host);
        return taggedDetail(request, reply, certificate);
      },
    );

    app.put(
      '/certificates/:host',
      {
        config: write,
        schema: {
          operationId: 'uploadCertificate',
          summary: 'Upload a certificate',
          description: 'Replaces the current certificate. It is not renewed automatically.',
          params: HostParamSchema,
          headers: IfMatchSchema,
          body: UploadCertificateSchema,
          response: { 200: CertificateDetailSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const certificate = await service.upload(user, params.host, body, ifMatch(request));
        return taggedDetail(request, reply, certificate);
      },
    );

    app.delete(
      '/certificates/:host',
      {
        config: write,
        schema: {
          summary: 'Delete a certificate and its key',
          description:
            'The host gets a new certificate after `POST /certificates/{host}/retry` or an upload.',
          params: HostParamSchema,
          headers: IfMatchSchema,
          response: { 200: Type.Object({ message: Type.String() }) },
        },
      },
      async (request) => {
        const { host } = await service.delete(request.user, request.params.host, ifMatch(request));
        return { message: `The certificate of ${host} was deleted.` };
      },
    );

    app.post(
      '/certificates/:host/retry',
      {
        config: { ...write, optionalBody: true },
        schema: {
          summary: 'Try again to obtain or renew a certificate',
          params: HostParamSchema,
          response: { 202: CertificateDetailSchema },
        },
      },
      async ({ user, params }, reply) =>
        reply.code(202).send(await detail(user.id, await service.retry(user.id, params.host))),
    );
  };
}

function cursorAt(host: string): string {
  return Buffer.from(host).toString('base64url');
}

/** @throws {AppError} INVALID_REQUEST */
function readCursor(cursor: string): string {
  const host = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorAt(host) === cursor && /^[\x21-\x7e]{1,260}$/.test(host)) return host;
  throw new AppError('INVALID_REQUEST', {
    field: 'cursor',
    message: 'cursor must be the nextCursor of the page before.',
  });
}
