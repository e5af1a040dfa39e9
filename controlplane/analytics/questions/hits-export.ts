import { Type } from 'typebox';
import { HITS_OF_PERIOD } from '../hit-filter.js';
import { type Asking, defineQuestion } from '../question.js';
import { HIT_CONDITIONS, type HitWhere, hitWhere, NO_META } from './hit-conditions.js';
import { CSV_HEADER, csvLine } from './hit-csv.js';
import { HIT_ORDER, HIT_RECORD, type Hit, type HitRecord, hitOf } from './hit-record.js';

const FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** Hits that are in memory at a time: some megabytes, and a fraction of a second of the store's time. */
const HITS_OF_CHUNK = 5_000;

/** All hits of a period as the text of a file, chunk by chunk as it is read. */
export const hitExport = defineQuestion({
  path: 'hits/export',
  summary: 'The hits themselves as a file, newest first',
  title: 'HitExport',
  query: {
    format: Type.Enum([...FORMATS], {
      default: 'csv',
      description: '`ndjson`: on each line a hit as `hits` gives it. `csv`: the same in columns.',
    }),
    ...HIT_CONDITIONS,
  },
  data: Type.Unsafe<AsyncIterable<string>>({}),
  meta: NO_META,
  async ask(asking, { format, ...conditions }) {
    const where = hitWhere(conditions);
    // Read before anything is sent: what fails here can still be answered with an error.
    const first = await readChunk(asking, where);
    return { data: fileOf(format, chunksFrom(first, asking, where), asking), meta: {} };
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

/**
 * Reads each chunk with a statement of its own. One statement for the whole download would block one of the embedded store's
 * two read connections while a slow client reads, and would exceed the time limit of a SELECT. A chunk begins after the last
 * hit of the chunk before, so hits that arrive or expire meanwhile do not repeat or hide others.
 */
async function* chunksFrom(first: readonly HitRecord[], asking: Asking, where: HitWhere) {
  let chunk = first;
  yield chunk;
  for (let last = chunk.at(HITS_OF_CHUNK - 1); last !== undefined; last = chunk.at(HITS_OF_CHUNK - 1)) {
    chunk = await readChunk(asking, where, last);
    yield chunk;
  }
}

function readChunk({ select }: Asking, where: HitWhere, after?: HitRecord): Promise<HitRecord[]> {
  const afterTime = `fromUnixTimestamp64Milli({afterMs:Int64}, 'UTC')`;
  const rest =
    after === undefined
      ? '1'
      : `timestamp <= ${afterTime} AND (timestamp < ${afterTime}
          OR (producer_id, ordinal) < ({afterProducer:String}, {afterOrdinal:UInt64}))`;
  return select<HitRecord>(
    `SELECT ${HIT_RECORD} FROM hits WHERE ${HITS_OF_PERIOD} AND ${where.sql} AND ${rest}
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

async function* fileOf(
  format: ExportFormat,
  chunks: AsyncIterable<readonly HitRecord[]>,
  asking: Pick<Asking, 'shownVisitor'>,
) {
  if (format === 'csv') yield CSV_HEADER;
  for await (const chunk of chunks)
    yield chunk.map((record) => LINE_OF[format](hitOf(record, asking))).join('');
}
