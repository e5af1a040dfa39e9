import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { PublicTarget } from '../../../shared/config/acme-config.js';
import { AppError } from '../../errors/app-error.js';
import type { Certificate } from './certificate.js';
import {
  CertificateDetailSchema,
  CertificatePageQuerySchema,
  CertificatePageSchema,
  certificateDetail,
  HostParamSchema,
  UploadCertificateSchema,
} from './certificate-schema.js';
import type { CertificateService } from './certificate-service.js';
import { requiredRecords } from './dns-check.js';
import type { ForecastOrders } from './order-forecast.js';

export interface CertificateRoutesDeps {
  readonly service: CertificateService;
  readonly target: PublicTarget;
  readonly forecast: ForecastOrders;
}

const tags = ['certificates'];
const read = { scope: 'redirects:read' } as const;
const write = { scope: 'redirects:write' } as const;

/** `/certificates`: the certificates of verified redirects, by host. */
export function createCertificateRoutes({
  service,
  target,
  forecast,
}: CertificateRoutesDeps): FastifyPluginAsyncTypebox {
  async function details(userId: string, certificates: readonly Certificate[]) {
    const expected = await forecast(userId, certificates);
    return certificates.map((one) =>
      certificateDetail(one, requiredRecords(one.host, target), expected.get(one.host)),
    );
  }

  async function detail(userId: string, certificate: Certificate) {
    const [only] = await details(userId, [certificate]);
    if (only === undefined) throw new Error('one certificate makes one record');
    return only;
  }

  return async (app) => {
    app.get(
      '/certificates',
      {
        config: read,
        schema: {
          tags,
          summary: 'Your certificates, by host',
          querystring: CertificatePageQuerySchema,
          response: { 200: CertificatePageSchema },
        },
      },
      async ({ user, query: { limit, cursor } }) => {
        const after = cursor === undefined ? '' : readCursor(cursor);
        const found = await service.page(user.id, after, limit + 1);
        const shown = found.slice(0, limit);
        const last = found.length > limit ? shown.at(-1) : undefined;
        return {
          data: await details(user.id, shown),
          page: { limit, nextCursor: last === undefined ? null : cursorAt(last.host) },
        };
      },
    );

    app.get(
      '/certificates/:host',
      {
        config: read,
        schema: {
          tags,
          summary: 'The certificate of a host',
          params: HostParamSchema,
          response: { 200: CertificateDetailSchema },
        },
      },
      async ({ user, params }) => detail(user.id, await service.get(user.id, params.host)),
    );

    app.put(
      '/certificates/:host',
      {
        config: write,
        schema: {
          operationId: 'uploadCertificate',
          tags,
          summary: 'Upload a certificate',
          description: 'Replaces the current certificate. It is not renewed automatically.',
          params: HostParamSchema,
          body: UploadCertificateSchema,
          response: { 200: CertificateDetailSchema },
        },
      },
      async ({ user, params, body }) => detail(user.id, await service.upload(user, params.host, body)),
    );

    app.delete(
      '/certificates/:host',
      {
        config: write,
        schema: {
          tags,
          summary: 'Delete a certificate and its key',
          description:
            'The host gets a new certificate after `POST /certificates/{host}/retry` or an upload.',
          params: HostParamSchema,
          response: { 200: Type.Object({ message: Type.String() }) },
        },
      },
      async ({ user, params }) => {
        const { host } = await service.delete(user, params.host);
        return { message: `The certificate of ${host} was deleted.` };
      },
    );

    app.post(
      '/certificates/:host/retry',
      {
        config: { ...write, optionalBody: true },
        schema: {
          tags,
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
