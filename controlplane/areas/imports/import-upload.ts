import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { type FileOptions, readRows, type TableReader } from './file-rows.js';
import { readText } from './file-text.js';
import { type ImportKind, type ImportOptions, MAX_ATOMIC_ROWS, MAX_ROWS, ROWS_PER_PART } from './import.js';
import { encodeRows, type FileRow } from './import-part.js';
import { importRepository } from './import-repository.js';

/** Maximum concurrent uploads of one user, and of all users. */
const MAX_UPLOADS_PER_USER = 2;
const MAX_UPLOADS = 8;
/** Maximum imports of a user that are queued or running. */
const MAX_OPEN_PER_USER = 5;
const RETRY_AFTER_SECONDS = 10;
/** Maximum rows of paths. They are in memory together. */
const MAX_PATH_ROWS = 200_000;

/** A request for an import whose head is valid. */
export interface UploadRequest {
  readonly user: CurrentUser;
  readonly options: ImportOptions;
  /** Domain of the redirect with `redirectId`. */
  readonly host: string | undefined;
  /** Whether the table of that redirect ignores case. */
  readonly pathOptions: FileOptions['pathOptions'];
  /** Whether the request has an Idempotency-Key. */
  readonly mayBeRetry: boolean;
}

/** A file that has arrived and is stored. No control plane works on it yet. */
export interface StoredFile {
  readonly id: string;
  readonly rows: number;
  /** SHA-256 of the sent bytes. */
  readonly digest: string;
}

/**
 * Stores a file in parts of rows while it arrives, with bounded memory. After an error nothing is stored.
 *
 * @throws {AppError} INVALID_REQUEST, VALIDATION_ERROR or BODY_TOO_LARGE for the file, RATE_LIMIT_EXCEEDED
 */
export type StoreUpload = (
  request: UploadRequest,
  body: Readable,
  encoding: string | undefined,
) => Promise<StoredFile>;

export function createStoreUpload(
  database: Queryable,
  tables: Readonly<Record<ImportKind, TableReader>>,
): StoreUpload {
  const underWay = new Map<string, number>();

  function begin(userId: string): void {
    const own = underWay.get(userId) ?? 0;
    const all = [...underWay.values()].reduce((sum, count) => sum + count, 0);
    if (own >= MAX_UPLOADS_PER_USER || all >= MAX_UPLOADS) {
      throw tooMany('Too many files are being sent at the moment; retry when they have arrived.');
    }
    underWay.set(userId, own + 1);
  }

  function end(userId: string): void {
    const left = (underWay.get(userId) ?? 1) - 1;
    if (left === 0) underWay.delete(userId);
    else underWay.set(userId, left);
  }

  async function storeRows(
    id: string,
    rows: AsyncIterable<FileRow>,
    options: ImportOptions,
  ): Promise<number> {
    let count = 0;
    let position = 0;
    let part: FileRow[] = [];
    const storePart = async () => {
      if (part.length === 0) return;
      await importRepository.addPart(database, id, position, await encodeRows(part));
      position += 1;
      part = [];
    };
    for await (const row of rows) {
      count += 1;
      requireFewRows(count, options);
      part.push(row);
      if (part.length === ROWS_PER_PART) await storePart();
    }
    await storePart();
    if (count > 0) return count;
    throw new AppError('VALIDATION_ERROR', { message: 'The file must have at least one row.' });
  }

  return async ({ user, options, host, pathOptions, mayBeRetry }, body, encoding) => {
    begin(user.id);
    const id = newId();
    try {
      // A retry gets the first answer, which can be found only after the file has arrived.
      if (!mayBeRetry) await requireFewOpen(database, user.id);
      await importRepository.insert(database, id, user, options);
      const digest = createHash('sha256');
      const text = readText({ body, encoding, onBytes: (bytes) => digest.update(bytes) });
      const rows = readRows(text, { ...options, host, pathOptions, table: tables[options.kind] });
      return { id, rows: await storeRows(id, rows, options), digest: digest.digest('hex') };
    } catch (error) {
      await importRepository.discard(database, id);
      throw error;
    } finally {
      end(user.id);
    }
  };
}

/** @throws {AppError} RATE_LIMIT_EXCEEDED for a user whose imports wait */
export async function requireFewOpen(source: Queryable, userId: string): Promise<void> {
  if ((await importRepository.countOpen(source, userId)) < MAX_OPEN_PER_USER) return;
  throw tooMany(
    `At most ${MAX_OPEN_PER_USER} imports of yours can wait at a time; retry when they are done.`,
  );
}

function requireFewRows(count: number, { kind, mode }: ImportOptions): void {
  const max = kind === 'paths' ? MAX_PATH_ROWS : mode === 'all_or_nothing' ? MAX_ATOMIC_ROWS : MAX_ROWS;
  if (count <= max) return;
  const which =
    kind === 'paths' ? ' for a table of paths' : mode === 'all_or_nothing' ? ' with mode=all_or_nothing' : '';
  const others = mode === 'all_or_nothing' && kind === 'redirects' ? ', or use mode=best_effort' : '';
  throw new AppError('VALIDATION_ERROR', {
    message: `A file${which} can have at most ${max} rows. Split it${others}.`,
  });
}

function tooMany(message: string): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
