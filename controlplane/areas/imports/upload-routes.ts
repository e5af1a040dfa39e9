import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DEFAULT_PATH_OPTIONS, type PathOptions } from '../../../shared/paths/path-entry.js';
import { AppError } from '../../errors/app-error.js';
import { keepAnswer } from '../../http/idempotency.js';
import { createQueryReader } from '../../http/request-validation.js';
import type { RedirectService } from '../redirects/public.js';
import {
  type ImportFormatName,
  type ImportKind,
  type ImportOptions,
  MAX_FILE_BYTES,
  MAX_ROWS,
} from './import.js';
import { importRecord } from './import-record.js';
import { ImportSchema, type NewImportQuery, NewImportQuerySchema } from './import-schema.js';
import type { ImportService } from './import-service.js';
import type { StoredFile, StoreUpload, UploadRequest } from './import-upload.js';

/** Time for a file to arrive. */
const UPLOAD_TIMEOUT_MS = 15 * 60_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The import that the head of the request describes. */
    wantedImport: UploadRequest | undefined;
    /** The stored file that is not queued yet. */
    unqueuedFile: StoredFile | undefined;
  }
}

export interface UploadRoutesDeps {
  readonly store: StoreUpload;
  readonly service: ImportService;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  /** Resolves to the options of the table of a redirect. */
  readonly pathOptionsOf: (
    redirectId: string,
  ) => Promise<Pick<PathOptions, 'ignoreCase' | 'ignoreTrailingSlash'>>;
}

/** The route that takes files of any media type. The query is checked before the file is read. */
export function createUploadRoutes({
  store,
  service,
  redirects,
  pathOptionsOf,
}: UploadRoutesDeps): FastifyPluginAsyncTypebox {
  const readQuery = createQueryReader<NewImportQuery>(NewImportQuerySchema);

  async function readHead(request: FastifyRequest): Promise<UploadRequest> {
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
    if (chunked === undefined && (length === undefined || length === '0')) throw noFile();
    request.query = withoutEmpty(Object(request.query));
    const { user } = request;
    const options = optionsOf(readQuery(request.query), request.headers['content-type']);
    const redirect =
      options.redirectId === null ? undefined : await redirects.requireOwned(options.redirectId, user.id);
    const mayBeRetry = request.headers['idempotency-key'] !== undefined;
    const pathOptions = redirect === undefined ? DEFAULT_PATH_OPTIONS : await pathOptionsOf(redirect.id);
    return { user, options, host: redirect?.fromDomain, pathOptions, mayBeRetry };
  }

  return async (app) => {
    app.decorateRequest('wantedImport', undefined);
    app.decorateRequest('unqueuedFile', undefined);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', async (request: FastifyRequest, body: FastifyRequest['raw']) => {
      if (request.wantedImport === undefined) throw new Error('the head of the request has not been read');
      const encoding = request.headers['content-encoding'];
      request.unqueuedFile = await store(request.wantedImport, body, encoding);
      // Identifies the body for an Idempotency-Key.
      return { digest: request.unqueuedFile.digest };
    });
    // The first answer was repeated, or the request was refused.
    app.addHook('onResponse', async ({ unqueuedFile }) => {
      if (unqueuedFile !== undefined) await service.discard(unqueuedFile.id);
    });

    app.post(
      '/imports',
      {
        config: { scope: 'redirects:write', bodyTimeoutMs: UPLOAD_TIMEOUT_MS },
        preParsing: async (request) => {
          request.wantedImport = await readHead(request);
        },
        schema: {
          operationId: 'importFile',
          tags: ['imports'],
          summary: 'Import a file',
          description: `The body is the file in UTF-8, up to ${MAX_FILE_BYTES / 1024 / 1024} MiB and ${MAX_ROWS} rows. \`Content-Encoding: gzip\` is accepted. The import runs in the background; \`GET /imports/{id}\` shows its progress. \`csv\` and \`ndjson\` have operations like \`POST /redirects/bulk\`, or path table entries. An entry replaces the one for the same requests; all others stay.`,
          consumes: [
            'text/csv',
            'application/x-ndjson',
            'text/plain',
            'application/json',
            'application/octet-stream',
          ],
          querystring: NewImportQuerySchema,
          body: FileSchema,
          response: { 202: ImportSchema },
        },
      },
      async (request, reply) => {
        const file = request.unqueuedFile;
        if (file === undefined) throw noFile();
        const keep = keepAnswer(request, reply, 202, importRecord);
        const queued = await service.enqueue(request.user.id, file, keep);
        request.unqueuedFile = undefined;
        return reply.code(202).send(importRecord(queued));
      },
    );
  };
}

const text = { type: 'string', minLength: 1 };
const FileSchema = Type.Unknown({
  byMedia: {
    'text/csv': { ...text, examples: ['fromDomain,toDomain\nold.example,https://new.example\n'] },
    'application/x-ndjson': {
      ...text,
      examples: ['{"fromDomain":"old.example","toDomain":"https://new.example"}\n'],
    },
    'text/plain': { ...text, examples: ['/old /new 301\n'] },
    'application/octet-stream': { ...text, examples: ['/old /new 301\n'] },
    'application/json': {
      type: 'object',
      examples: [{ redirects: [{ source: '/old', destination: '/new' }] }],
    },
  },
});

/** Removes parameters without a value; they count as absent. */
function withoutEmpty(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

function optionsOf(query: NewImportQuery, contentType: string | undefined): ImportOptions {
  const { kind = 'redirects', mode = 'best_effort', dryRun = false, redirectId = null } = query;
  const { collapse = false, force = false, onExisting = 'fail' } = query;
  if (kind === 'paths' && redirectId === null) {
    throw new AppError('INVALID_REQUEST', {
      field: 'redirectId',
      message: 'redirectId is required with kind=paths: the redirect whose table of paths gets the rows.',
    });
  }
  if (kind === 'redirects' && redirectId !== null) throw onlyWith('paths', 'redirectId');
  if (kind === 'redirects' && collapse) throw onlyWith('paths', 'collapse');
  if (kind === 'paths' && query.onExisting !== undefined) throw onlyWith('redirects', 'onExisting');
  const format = query.format ?? formatOf(contentType);
  return { kind, mode, dryRun, collapse, force, onExisting, redirectId, format };
}

function onlyWith(kind: ImportKind, field: string): AppError {
  return new AppError('INVALID_REQUEST', { field, message: `${field} is known with kind=${kind} only.` });
}

function formatOf(contentType = ''): ImportFormatName {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'text/csv') return 'csv';
  if (type === 'application/x-ndjson') return 'ndjson';
  throw new AppError('INVALID_REQUEST', {
    field: 'format',
    message: 'format is required, unless Content-Type is text/csv or application/x-ndjson.',
  });
}

function noFile(): AppError {
  return new AppError('INVALID_REQUEST', { message: 'The request body must be a file.' });
}
