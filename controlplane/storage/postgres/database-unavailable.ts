import { isTlsProblem } from '../../../shared/process/connection-problem.js';
import { codeOf } from '../../../shared/process/error-facts.js';

/** The database cannot be reached, or is shutting down. The same operation may succeed later. */
export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError';

  constructor(cause: unknown, message = 'the database cannot be reached') {
    super(message, { cause });
  }
}

/** The disk of the database is full. Only reads succeed. */
export class DatabaseFullError extends DatabaseUnavailableError {
  override name = 'DatabaseFullError';
}

/** The database answers, but nothing can be written to it. */
export class DatabaseReadOnlyError extends DatabaseUnavailableError {
  override name = 'DatabaseReadOnlyError';

  constructor(cause: unknown) {
    super(cause, 'the database can only be read');
  }
}

/** PostgreSQL's code of a full disk. */
const DISK_FULL = '53100';
/** PostgreSQL's code of a write to a standby, or where `default_transaction_read_only` is on. */
const READ_ONLY = '25006';

/** Node's codes for a connection that could not be made, or broke. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * PostgreSQL's own (appendix A of its manual): connection exceptions, logins refused, no such database, shutting down,
 * starting up, too many connections.
 */
const SERVER_CODES = /^(08...|28...|3D000|57P0[123]|53300)$/;

/** Errors that `pg` throws without a code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|The server does not support SSL|Client has encountered)/;

/** Returns `error`, wrapped in a `DatabaseUnavailableError` if its code or message means one. */
export function asDatabaseError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error) ?? '';
  if (code === DISK_FULL) return new DatabaseFullError(error);
  if (code === READ_ONLY) return new DatabaseReadOnlyError(error);
  const isUnavailable =
    NETWORK_CODES.has(code) ||
    SERVER_CODES.test(code) ||
    isTlsProblem(error) ||
    DRIVER_MESSAGES.test(error.message) ||
    // Several addresses of one name were tried, and none worked.
    error instanceof AggregateError;
  return isUnavailable ? new DatabaseUnavailableError(error) : error;
}
