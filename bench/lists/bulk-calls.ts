import { until } from '../../deploy/faults/until.js';
import type { ApiClient } from '../million/api-client.js';
import { TOKEN } from '../product/roles.js';

const IMPORT_LIMIT_MS = 1_800_000;
const LOOK_AGAIN_MS = 100;

interface BulkAnswer {
  readonly applied: boolean;
  readonly summary: { readonly created: number; readonly failed: number };
}
interface ImportAnswer {
  readonly id: string;
  readonly state: string;
  readonly rows: { readonly done: number; readonly created: number; readonly failed: number };
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** A redirect of a host that is verified immediately. */
export interface BulkRow {
  readonly fromDomain: string;
  readonly toDomain: string;
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
}

export function bulkRows(kind: string, from: number, count: number): BulkRow[] {
  return Array.from({ length: count }, (_, index) => ({
    fromDomain: `${kind}-${from + index}.localhost`,
    toDomain: `https://www.${kind}-${from + index}.example/welcome`,
    pathForwarding: true,
    queryForwarding: true,
  }));
}

/** Creates redirects in one request. @throws unless all were created */
export async function createInBulk(client: ApiClient, rows: readonly BulkRow[]): Promise<void> {
  const operations = rows.map((row) => ({ op: 'create', ...row }));
  const { applied, summary } = await client.call<BulkAnswer>('POST', '/redirects/bulk', { operations });
  if (!applied || summary.created !== rows.length) {
    throw new Error(`bulk-import: a bulk request created ${summary.created} redirects of ${rows.length}`);
  }
}

/**
 * Imports a file and waits for the end. Returns the Unix time of the end in milliseconds. @throws unless all rows were
 * created
 */
export async function importRows(port: number, client: ApiClient, rows: readonly BulkRow[]): Promise<number> {
  const sent = await fetch(`http://127.0.0.1:${port}/imports?kind=redirects&format=ndjson`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
  });
  if (sent.status !== 202)
    throw new Error(`bulk-import: POST /imports answered ${sent.status}: ${await sent.text()}`);
  const { id } = (await sent.json()) as ImportAnswer;
  let last: ImportAnswer | undefined;
  const hasEnded = async () => {
    last = await client.call<ImportAnswer>('GET', `/imports/${id}`);
    return !['queued', 'running'].includes(last.state);
  };
  await until(hasEnded, {
    timeoutMs: IMPORT_LIMIT_MS,
    intervalMs: LOOK_AGAIN_MS,
    what: 'the end of the import',
  });
  if (last?.state !== 'finished' || last.rows.created !== rows.length) {
    throw new Error(`bulk-import: the import ended as ${JSON.stringify(last)}`);
  }
  return Date.parse(last.finishedAt ?? '');
}
