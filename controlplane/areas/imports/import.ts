import type { ErrorBody } from '../../errors/app-error.js';
import type { Actor } from '../history/public.js';

export const IMPORT_KINDS = ['redirects', 'paths'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** Formats of the API, and formats of other systems. */
export const IMPORT_FORMATS = [
  'csv',
  'ndjson',
  'json',
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
] as const;
export type ImportFormatName = (typeof IMPORT_FORMATS)[number];

export const IMPORT_MODES = ['best_effort', 'all_or_nothing'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export const IMPORT_STATES = ['queued', 'running', 'finished', 'failed', 'canceled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Treatment of rows for a domain that already has a redirect of the user. */
export const ON_EXISTING = ['fail', 'skip', 'update'] as const;
export type OnExisting = (typeof ON_EXISTING)[number];

export const ROW_STATUSES = ['created', 'updated', 'deleted', 'unchanged', 'failed', 'skipped'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** The request for an import. */
export interface ImportOptions {
  readonly kind: ImportKind;
  readonly format: ImportFormatName;
  readonly mode: ImportMode;
  readonly dryRun: boolean;
  /** Whether imported paths redirect directly to the end of their chain. */
  readonly collapse: boolean;
  /** Whether rows may break examples of redirects. */
  readonly force: boolean;
  readonly onExisting: OnExisting;
  /** The redirect whose table of paths gets the rows; null for redirects. */
  readonly redirectId: string | null;
}

/** Rows by status. Deleted redirects count as updated. */
export interface RowCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A stored import. */
export interface Import extends ImportOptions {
  readonly id: string;
  readonly userId: string;
  /** Sender of the file. */
  readonly by: Actor;
  readonly state: ImportState;
  readonly total: number;
  readonly counts: RowCounts;
  readonly error: ErrorBody['error'] | null;
  readonly nextPosition: number;
  /** Claims since the last progress. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** Maximum size of a file, as it was sent and uncompressed. */
export const MAX_FILE_BYTES = 200 * 1024 * 1024;
export const MAX_ROWS = 1_000_000;
/** Rows per transaction. This limits the time for which locks are held. */
export const ROWS_PER_PART = 1_000;
/** Maximum rows of one transaction with `all_or_nothing`. Other transactions wait for its end. */
export const MAX_ATOMIC_ROWS = 50_000;
