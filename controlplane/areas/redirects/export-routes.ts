import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { clientLeft } from '../../http/answer-over.js';
import { type CsvCell, csvLine } from '../../http/csv.js';
import type { Plan } from '../../plan.js';
import { tagCell } from './bulk/tag-cell.js';
import type { ReadPage } from './long-lists.js';
import type { Redirect } from './redirect.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import { CreateRedirectSchema, RedirectSchema } from './redirect-schema.js';
import { createUserStreams } from './user-streams.js';

const FORMATS = ['csv', 'ndjson', 'json'] as const;
type Format = (typeof FORMATS)[number];

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  json: 'application/json; charset=utf-8',
};

/** Columns of a table. `POST /redirects/bulk` ignores those that a request cannot set. */
const COLUMNS = [
  'id',
  ...Object.keys(CreateRedirectSchema.properties),
  'status',
  'createdAt',
  'updatedAt',
  'verifiedAt',
];

type Exported = Readonly<Record<string, unknown>>;

export interface ExportRoutesDeps {
  /** Reads a part of the redirects of a user, newest first. */
  readonly readPage: ReadPage;
}

/** All redirects of a user as a file. */
export function createExportRoutes({ readPage }: ExportRoutesDeps): FastifyPluginAsyncTypebox {
  const stream = createUserStreams();

  return async (app) => {
    app.get(
      '/exports/redirects',
      {
        config: { scope: 'redirects:read' },
        // A HEAD request would read the whole file.
        exposeHeadRoute: false,
        schema: {
          operationId: 'exportRedirects',
          tags: ['redirects'],
          summary: 'Export all redirects',
          description:
            'Newest first, without usage. `POST /redirects/bulk` accepts the file. The file is incomplete if the response does not end properly.',
          querystring: Type.Object({
            format: Type.Optional(Type.Enum([...FORMATS], { description: 'Default: `csv`.' })),
          }),
          response: { 200: ExportSchema },
        },
      },
      async (request, reply) => {
        const { user, query } = request;
        const { format = 'csv' } = query;
        const file = await stream(user.id, clientLeft(reply), async () =>
          WRITERS[format](exportedPages(readPage, user.id, user.plan)),
        );
        reply.header('Content-Disposition', `attachment; filename="redirects.${format}"`);
        return reply.type(MEDIA_TYPES[format]).send(file);
      },
    );
  };
}

const ExportSchema = {
  description: 'A file.',
  content: {
    'text/csv': {
      schema: Type.Unsafe<Readable>({
        type: 'string',
        description:
          'RFC 4180 with a header line. `|` separates tags; a backslash escapes `|` and backslash. Objects are JSON. A text that a spreadsheet would read as a formula starts with an apostrophe.',
      }),
    },
    'application/x-ndjson': {
      schema: Type.Unsafe<Readable>({ type: 'string', description: 'One redirect per line.' }),
    },
    'application/json': { schema: Type.Array(Type.Omit(RedirectSchema, ['analyticsUsage'])) },
  },
};

async function* exportedPages(
  readPage: ReadPage,
  userId: string,
  plan: Plan,
): AsyncGenerator<readonly Exported[]> {
  for (let page = await readPage(userId); ; page = await readPage(userId, page.next)) {
    yield page.redirects.map((redirect) => exported(redirect, plan));
    if (page.next === undefined) return;
  }
}

function exported(redirect: Redirect, plan: Plan): Exported {
  const { analyticsUsage: _, ...record } = redirectRecord(redirect, plan, NO_USAGE, currentMonth());
  return record;
}

type Write = (pages: AsyncIterable<readonly Exported[]>) => AsyncIterable<Buffer>;

const WRITERS: Readonly<Record<Format, Write>> = {
  async *csv(pages) {
    yield Buffer.from(csvLine(COLUMNS));
    for await (const page of pages) {
      yield Buffer.from(page.map((record) => csvLine(COLUMNS.map((name) => cellOf(record[name])))).join(''));
    }
  },
  async *ndjson(pages) {
    for await (const page of pages)
      yield Buffer.from(page.map((record) => `${JSON.stringify(record)}\n`).join(''));
  },
  async *json(pages) {
    let opening = '[';
    for await (const page of pages) {
      if (page.length === 0) continue;
      yield Buffer.from(opening + JSON.stringify(page).slice(1, -1));
      opening = ',';
    }
    yield Buffer.from(opening === '[' ? '[]' : ']');
  },
};

function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return tagCell(value);
  if (typeof value === 'object') return Object.keys(value).length === 0 ? null : JSON.stringify(value);
  return value as CsvCell;
}
