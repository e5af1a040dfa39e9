import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { AppError } from '../../../errors/app-error.js';
import { clientLeft, isAnswerOver, onceAnswerOver } from '../../../http/answer-over.js';
import { answerSchema, COMMON_QUERY, type CommonMeta, RedirectParams } from '../analytics-schema.js';
import type { AnalyticsService } from '../analytics-service.js';
import { createAtOnceLimit } from '../at-once-limit.js';
import { HIT_FILTERS } from '../hit-filters.js';
import type { Answered, Question } from '../question.js';
import { HitSchema } from './hit-record.js';
import { hitPage, PaginationSchema } from './hits.js';
import { type ExportFormat, hitExport, hitExportHead } from './hits-export.js';

export interface HitRoutesDeps {
  readonly analytics: AnalyticsService;
  /** Time after which an export whose client reads nothing is ended. */
  readonly exportStallMs?: number;
}

const EXPORT_STALL_MS = 60_000;
/** Maximum concurrent exports. Each one has a chunk of hits in memory while its client reads. */
const EXPORTS_AT_ONCE = { what: 'exports', maxOfUser: 2, maxOfAll: 32, retryAfterSeconds: 10 };

interface HitRequest<Query extends TProperties> {
  Params: { redirectId: string };
  Querystring: Static<TObject<Query>> & {
    start?: string;
    end?: string;
    timezone?: string;
    includeBots: boolean;
  };
}

const { start, end, timezone } = COMMON_QUERY;

const includeBots = Type.Boolean({
  default: true,
  description: 'Whether to list hits of bots. `isBot` overrides it.',
});

/** The parts of a schema that these two endpoints share with all other questions. Only these list bots by default. */
const schemaOf = (question: Pick<Question, 'summary' | 'query'>) => ({
  tags: ['analytics'],
  summary: question.summary,
  params: RedirectParams,
  querystring: Type.Object({ start, end, includeBots, timezone, ...HIT_FILTERS, ...question.query }),
});

const HitsSchema = Type.Object(
  {
    data: Type.Array(HitSchema, {
      description: 'Newest first.',
    }),
    pagination: PaginationSchema,
    meta: answerSchema(hitPage.title, hitPage.data, hitPage.meta).properties.meta,
  },
  { title: hitPage.title },
);

const MEDIA_TYPE: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

const CSV_DESCRIPTION =
  'RFC 4180 with a header line. Null is empty. A text that a spreadsheet would read as a formula starts with an apostrophe.';

const ExportSchema = {
  description:
    'A file. It is incomplete if the response does not end properly. A user can run 2 exports at a time. An export ends if its client reads nothing for 60 s.',
  content: {
    [MEDIA_TYPE.csv]: { schema: Type.String({ description: CSV_DESCRIPTION }) },
    [MEDIA_TYPE.ndjson]: {
      schema: Type.String({ description: 'One hit per line, as in `hits`.' }),
    },
  },
};

/** The endpoints of single hits: pages with a pagination beside the data, and files. */
export function createHitRoutes({
  analytics,
  exportStallMs = EXPORT_STALL_MS,
}: HitRoutesDeps): FastifyPluginAsync {
  const exports = createAtOnceLimit(EXPORTS_AT_ONCE);

  return async (app) => {
    app.get<HitRequest<typeof hitPage.query>>(
      `/analytics/redirect/:redirectId/${hitPage.path}`,
      {
        config: { scope: 'analytics:read' },
        schema: { ...schemaOf(hitPage), operationId: 'listHits', response: { 200: HitsSchema } },
      },
      async (request, reply) => {
        const { data, meta } = await answerOf(analytics, hitPage, request, reply);
        return { data: data.hits, pagination: data.pagination, meta };
      },
    );

    app.head<HitRequest<typeof hitExport.query>>(
      `/analytics/redirect/:redirectId/${hitExport.path}`,
      { config: { scope: 'analytics:read' }, schema: { ...schemaOf(hitExport), hide: true } },
      async (request, reply) => {
        const { meta } = await answerOf(analytics, hitExportHead, request, reply);
        return describeFile(reply, meta, request.query.format).send();
      },
    );

    app.get<HitRequest<typeof hitExport.query>>(
      `/analytics/redirect/:redirectId/${hitExport.path}`,
      {
        config: { scope: 'analytics:read' },
        // A HEAD would read the whole file and discard it.
        exposeHeadRoute: false,
        schema: { ...schemaOf(hitExport), operationId: 'exportHits', response: { 200: ExportSchema } },
      },
      async (request, reply) => {
        if (isAnswerOver(reply)) {
          throw new AppError('SERVICE_UNAVAILABLE', { message: 'The client closed the connection.' });
        }
        const leave = exports.enter(request.user.id);
        onceAnswerOver(reply, leave);
        try {
          const { data, meta } = await answerOf(analytics, hitExport, request, reply);
          const pieces = untilStalled(data, reply, exportStallMs, () => {
            leave();
            // An answer that waits for another one of its connection has no event that closes its file.
            file.destroy();
          });
          const file: Readable = Readable.from(pieces, { objectMode: false });
          return describeFile(reply, meta, request.query.format).send(file);
        } catch (error) {
          leave();
          throw error;
        }
      },
    );
  };
}

/** The service knows a question only as one of many; its answer has the type of this one. */
async function answerOf<Data extends TSchema>(
  analytics: AnalyticsService,
  question: Question<TProperties, Data>,
  { params, user, query }: Pick<FastifyRequest<HitRequest<TProperties>>, 'params' | 'user' | 'query'>,
  reply: FastifyReply,
) {
  const asker = { userId: user.id, redirectId: params.redirectId, signal: clientLeft(reply) };
  const asked = { ...(query.includeBots ? {} : { isBot: false }), ...query, includeBots: true };
  const { data, meta } = (await analytics.answer(question, asker, asked)) as Answered<
    Static<Data>,
    CommonMeta
  >;
  return {
    data,
    meta: { ...meta, bots: asked.isBot === false ? ('excluded' as const) : ('included' as const) },
  };
}

/** Closes the connection of a client that takes no part of its file for some time. The store's time does not count. */
async function* untilStalled(
  pieces: AsyncIterable<Buffer>,
  reply: FastifyReply,
  stallMs: number,
  onStall: () => void,
) {
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    reply.raw.destroy();
    onStall();
  };
  const watch = () => {
    if (!isAnswerOver(reply)) timer = setTimeout(end, stallMs).unref();
  };
  onceAnswerOver(reply, () => clearTimeout(timer));
  for await (const piece of pieces) {
    watch();
    yield piece;
    clearTimeout(timer);
  }
  // The last parts are not read yet.
  watch();
}

function describeFile(reply: FastifyReply, meta: CommonMeta, format: ExportFormat): FastifyReply {
  return reply
    .type(`${MEDIA_TYPE[format]}; charset=utf-8`)
    .header('Content-Disposition', `attachment; filename="${fileName(meta, format)}"`);
}

function fileName({ redirectId, period }: CommonMeta, format: ExportFormat): string {
  const [from, to] = [period.start, period.end].map((time) => time.slice(0, 10));
  return `hits_${redirectId}_${from}_${to}.${format}`;
}
