import { readFile, stat } from 'node:fs/promises';
import { type Client, type Schemas, WaymarkError } from '../client/src/index.js';
import { CommandError } from './command.js';
import type { FailedRow, ImportQuery, ImportRecord } from './imports.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
/** Maximum body of a bulk request. */
const MAX_BYTES = 32 * 1024 * 1024;

type BulkAnswer = Pick<Schemas.ChangeManyRedirectsResponse, 'results' | 'summary'>;

/** Imports a file in one bulk request, for servers without `/imports`: 10,000 rows of CSV or NDJSON. */
export async function importAtOnce(
  client: Client,
  file: string,
  { kind, format, mode, dryRun }: ImportQuery,
): Promise<ImportRecord> {
  const contentType = MEDIA_TYPES[format];
  if (kind !== 'redirects' || contentType === undefined || (await stat(file)).size > MAX_BYTES) {
    throw new CommandError('This server imports CSV and NDJSON of redirects only, up to 10,000 rows.');
  }
  const query = { mode, dryRun };
  try {
    const body = await readFile(file);
    const answer = await client.request('POST', '/redirects/bulk', {
      query,
      body,
      contentType,
      timeoutMs: 0,
    });
    return recordOf(answer, 'finished', dryRun);
  } catch (error) {
    if (!(error instanceof WaymarkError) || error.code !== 'BULK_REJECTED') throw error;
    return recordOf(error.body as BulkAnswer, 'failed', dryRun);
  }
}

function recordOf(
  { results, summary }: BulkAnswer,
  state: ImportRecord['state'],
  dryRun: boolean,
): ImportRecord {
  const failures = results.flatMap(({ row, error }): FailedRow[] =>
    error === undefined ? [] : [{ row, ...error }],
  );
  return {
    id: '',
    dryRun,
    state,
    rows: { ...summary, done: summary.total, skipped: 0 },
    rowsPerSecond: null,
    secondsLeft: null,
    error: null,
    failures,
  };
}
