import path from 'node:path';
import type { Client } from '../client/src/index.js';

export const FORMATS = [
  'csv',
  'ndjson',
  'nginx',
  'htaccess',
  'netlify',
  'cloudflare',
  'vercel',
  'caddy',
  'shlink',
  'yourls',
  'bitly',
  'wordpress',
];

/** Names of files that tell their format. */
const NAMES: ReadonlyArray<readonly [RegExp, string]> = [
  [/\.csv$/i, 'csv'],
  [/\.(ndjson|jsonl)$/i, 'ndjson'],
  [/^_redirects$/, 'netlify'],
  [/^\.?htaccess$/i, 'htaccess'],
  [/^vercel\.json$/i, 'vercel'],
  [/caddyfile$/i, 'caddy'],
  [/\.conf$/i, 'nginx'],
];

export function formatOfFile(file: string): string | undefined {
  return NAMES.find(([pattern]) => pattern.test(path.basename(file)))?.[1];
}

/** An import, as `GET /imports/{id}` describes it. */
export interface ImportRecord {
  readonly id: string;
  readonly dryRun: boolean;
  readonly state: 'queued' | 'running' | 'finished' | 'failed' | 'canceled';
  readonly rows: Readonly<
    Record<'total' | 'done' | 'created' | 'updated' | 'unchanged' | 'failed' | 'skipped', number>
  >;
  readonly rowsPerSecond: number | null;
  readonly secondsLeft: number | null;
  readonly error: { readonly message: string } | null;
}

export interface ImportQuery {
  readonly kind: 'redirects' | 'paths';
  readonly redirectId: string | undefined;
  readonly format: string;
  readonly mode: 'best_effort' | 'all_or_nothing';
  readonly dryRun: boolean;
}

export interface FailedRow {
  readonly row: number;
  readonly message: string;
  readonly field?: string;
}

type Untyped = <Result>(method: string, path: string, options: object) => Promise<Result>;

/** Creates the requests of imports. */
export function importsOf(client: Client) {
  const request = client.request as unknown as Untyped;
  return {
    start: (query: ImportQuery, body: ReadableStream<Uint8Array>, signal: AbortSignal) =>
      request<ImportRecord>('POST', '/imports', {
        query,
        body,
        signal,
        contentType: 'application/octet-stream',
        timeoutMs: 0,
      }),
    get: (id: string) => request<ImportRecord>('GET', '/imports/{id}', { params: { id } }),
    cancel: (id: string) => request<ImportRecord>('POST', '/imports/{id}/cancel', { params: { id } }),
    failures: async (id: string, limit: number) =>
      (
        await request<{ data: FailedRow[] }>('GET', '/imports/{id}/rows', {
          params: { id },
          query: { status: 'failed', limit },
        })
      ).data,
  };
}
