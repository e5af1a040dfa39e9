import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { type CsvCell, csvLine as lineOf } from '../../../http/csv.js';
import type { HitWhere } from '../hit-filters.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { HIT_CONDITIONS, hitWhere, NO_META } from './hit-conditions.js';
import { HIT_ORDER, HIT_RECORD, type Hit, type HitRecord, HitSchema, hitOf } from './hit-record.js';

const FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** Hits in memory at a time, as bytes: a few megabytes, and a fraction of a second of the store's time. */
const HITS_OF_CHUNK = 5_000;
/** Hits that are parsed and written at a time. Other requests are answered in between. */
const HITS_OF_PIECE = 250;
const LINE_FEED = 10;

/** Writes all hits of a period as the text of a file, chunk by chunk. */
export const hitExport = defineQuestion({
  path: 'hits/export',
  summary: 'Export hits, newest first',
  title: 'HitExport',
  query: {
    format: Type.Enum([...FORMATS], {
      default: 'csv',
      description: '`ndjson`: one hit per line, as in `hits`. `csv`: the same as columns.',
    }),
    ...HIT_CONDITIONS,
  },
  data: Type.Unsafe<AsyncIterable<Buffer>>({}),
  meta: NO_META,
  async ask(context, { format, ...conditions }) {
    const where = hitWhere(conditions);
    // The first read comes before the answer begins, so its failure can still be answered with an error.
    const first = await readChunk(context, where);
    return { data: fileOf({ format, first, context, where }), meta: {} };
  },
});

/** Answers HEAD of an export: checks the request without reading a hit. */
export const hitExportHead = defineQuestion({
  ...hitExport,
  data: Type.Null(),
  async ask() {
    return { data: null, meta: {} };
  },
});

/** Reads the hits after one, as lines of JSON. */
function readChunk(
  { source, selectLines }: QueryContext,
  where: HitWhere,
  after?: HitRecord,
): Promise<Buffer> {
  const afterTime = `fromUnixTimestamp64Milli({afterMs:Int64}, 'UTC')`;
  const rest =
    after === undefined
      ? '1'
      : `timestamp <= ${afterTime} AND (timestamp < ${afterTime}
          OR (producer_id, ordinal) < ({afterProducer:String}, {afterOrdinal:UInt64}))`;
  return selectLines(
    `SELECT ${HIT_RECORD} FROM hits WHERE ${source.hits} AND ${where.sql} AND ${rest}
     ${HIT_ORDER} LIMIT {hits:UInt32}`,
    {
      ...where.params,
      hits: HITS_OF_CHUNK,
      ...(after && { afterMs: after.time_ms, afterProducer: after.producer_id, afterOrdinal: after.ordinal }),
    },
  );
}

const LINE_OF: Readonly<Record<ExportFormat, (hit: Hit) => string>> = {
  csv: csvLine,
  ndjson: (hit) => `${JSON.stringify(hit)}\n`,
};

interface ExportFile {
  readonly format: ExportFormat;
  readonly first: Buffer;
  readonly context: QueryContext;
  readonly where: HitWhere;
}

/**
 * Writes the file piece by piece. Each chunk is read with a separate statement. One statement for the whole download
 * would block one of the embedded store's two read connections while a slow client reads, and would exceed the time
 * limit of a SELECT. A chunk begins after the last hit of the previous chunk, so hits that arrive or expire during the
 * download do not repeat or hide others.
 */
async function* fileOf({ format, first, context, where }: ExportFile) {
  if (format === 'csv') yield Buffer.from(CSV_HEADER);
  const lineOf = LINE_OF[format];
  for (let chunk = first; ; ) {
    let hits = 0;
    let last: HitRecord | undefined;
    for (const records of piecesOf(chunk)) {
      yield Buffer.from(records.map((record) => lineOf(hitOf(record, context))).join(''));
      hits += records.length;
      last = records.at(-1);
      await setImmediate();
    }
    if (hits < HITS_OF_CHUNK) return;
    chunk = await readChunk(context, where, last);
  }
}

/** Parses lines of JSON, some at a time: a chunk of parsed hits takes several times the memory of its bytes. */
function* piecesOf(lines: Buffer): Iterable<HitRecord[]> {
  let piece: HitRecord[] = [];
  let start = 0;
  for (let end = lines.indexOf(LINE_FEED); end >= 0; end = lines.indexOf(LINE_FEED, start)) {
    piece.push(JSON.parse(lines.toString('utf8', start, end)) as HitRecord);
    start = end + 1;
    if (piece.length < HITS_OF_PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

const UTM_PARAMS = Object.keys(HitSchema.properties.utm.properties);
const MEMBERS = Object.keys(HitSchema.properties);

/** The members of a hit in their order; those of `utm` as `utmSource` and so on. */
const COLUMNS = MEMBERS.flatMap((member) => (member === 'utm' ? UTM_PARAMS.map(utmColumn) : [member]));

/** The first line of the file. */
const CSV_HEADER = lineOf(COLUMNS);

/** Formats a hit as a line of CSV (RFC 4180); null is empty. */
function csvLine({ utm, ...hit }: Hit): string {
  const ofCampaign = Object.entries(utm).map(([param, value]) => [utmColumn(param), value]);
  const cells: Record<string, CsvCell> = { ...hit, ...Object.fromEntries(ofCampaign) };
  return lineOf(COLUMNS.map((column) => cells[column] ?? null));
}

function utmColumn(param: string): string {
  return `utm${param.charAt(0).toUpperCase()}${param.slice(1)}`;
}
