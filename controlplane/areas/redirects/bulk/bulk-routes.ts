import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { AppError, errorBody } from '../../../errors/app-error.js';
import { clientLeft } from '../../../http/answer-over.js';
import { LARGE_BODY_TIMEOUT_MS } from '../../../http/body-timeouts.js';
import { keepAnswer } from '../../../http/idempotency.js';
import { CSV, NDJSON, readCsv, readNdjson } from './bulk-files.js';
import {
  BulkQuerySchema,
  BulkRejectedSchema,
  type BulkReport,
  BulkReportSchema,
  BulkSchema,
  MAX_BULK_BYTES,
} from './bulk-schema.js';
import type { RunBulk } from './bulk-service.js';

/** Many creations, changes and deletions of redirects in one request. */
export function createBulkRoutes({ runBulk }: { readonly runBulk: RunBulk }): FastifyPluginAsyncTypebox {
  return async (app) => {
    const options = { parseAs: 'buffer', bodyLimit: MAX_BULK_BYTES } as const;
    app.addContentTypeParser(NDJSON, options, async (_request: unknown, body: Buffer) => readNdjson(body));
    app.addContentTypeParser(CSV, options, async (_request: unknown, body: Buffer) => readCsv(body));

    app.post(
      '/redirects/bulk',
      {
        bodyLimit: MAX_BULK_BYTES,
        config: { scope: 'redirects:write', bodyTimeoutMs: LARGE_BODY_TIMEOUT_MS },
        schema: {
          operationId: 'changeManyRedirects',
          tags: ['redirects'],
          summary: 'Create, change and delete many redirects',
          description:
            'Takes a JSON object, one operation per line (`application/x-ndjson`), or a table (`text/csv`). The first row of a table has member names. `|` separates tags (`\\|` is a literal `|`), and objects are JSON.',
          consumes: ['application/json', NDJSON, CSV],
          querystring: BulkQuerySchema,
          body: BulkSchema,
          response: { 200: BulkReportSchema, 422: BulkRejectedSchema },
        },
      },
      async (request, reply) => {
        const { mode = 'all_or_nothing', dryRun = false } = request.query;
        const report = await runBulk(request.user, request.body.operations, {
          mode,
          dryRun,
          signal: clientLeft(reply),
          keep: keepAnswer(request, reply, 200, (made: BulkReport) => made),
        });
        // `best_effort` reports failures row by row.
        if (mode === 'best_effort' || dryRun || report.applied) return report;
        const rejected = new AppError('BULK_REJECTED', {
          message: `${report.summary.failed} of ${report.summary.total} operations failed, and nothing was changed. results says which and why.`,
        });
        reply.code(422);
        return { ...errorBody(rejected), ...report };
      },
    );
  };
}
