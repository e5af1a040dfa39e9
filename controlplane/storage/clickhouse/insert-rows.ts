import { rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { BLOCK_ENCODING } from '../../../shared/hits/hit-block-compression.js';
import type { RowInsert } from './analytics-store.js';
import { insertSettings, literal } from './query-settings.js';

/** Sends rows with their statement. Throws the errors of the client. */
export async function insertRows(client: ClickHouseClient, insert: RowInsert): Promise<void> {
  const { rows } = insert;
  const isText = typeof rows === 'string';
  const isCompressed = !isText && rows.compressed !== undefined;
  const { stream } = await client.exec({
    query: `${insertInto(insert)} FORMAT ${isText ? 'JSONCompactEachRow' : 'Native'}`,
    values: Readable.from([isText ? rows : (rows.compressed ?? rows.block)], { objectMode: false }),
    ...(isCompressed && { http_headers: { 'Content-Encoding': BLOCK_ENCODING } }),
  });
  // The socket returns to the pool only after the whole answer was read.
  for await (const _ of stream);
}

/**
 * Inserts rows into the embedded engine. Its connection takes only texts, so the engine reads the bytes from a file.
 *
 * @param file that only this call uses; it is deleted afterwards
 */
export async function insertRowsThroughFile(
  client: ClickHouseClient,
  insert: RowInsert,
  file: string,
): Promise<void> {
  if (typeof insert.rows === 'string') return insertRows(client, insert);
  await writeFile(file, insert.rows.block, { mode: 0o600 });
  try {
    await client.command({ query: `${insertInto(insert, `FROM INFILE ${literal(file)}`)} FORMAT Native` });
  } finally {
    await rm(file, { force: true });
  }
}

function insertInto({ table, columns, deduplicationToken }: RowInsert, source = ''): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) ${source} ${insertSettings(deduplicationToken)}`;
}
