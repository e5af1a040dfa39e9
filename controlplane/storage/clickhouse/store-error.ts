import { messageOf } from '../../../shared/process/error-facts.js';

/**
 * Kind of error, by the reaction of a caller. `unavailable`: a later attempt may succeed. `too-heavy`: the query must
 * be smaller. `bad-data`: every attempt fails. `cancelled`: the client has left. `failed`: internal error.
 */
export type StoreFailure = 'unavailable' | 'too-heavy' | 'bad-data' | 'cancelled' | 'failed';

export class AnalyticsStoreError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'AnalyticsStoreError';
    this.failure = failure;
  }
}

// Names of https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
const FAILURES: Readonly<Record<string, StoreFailure>> = {
  TIMEOUT_EXCEEDED: 'too-heavy',
  MEMORY_LIMIT_EXCEEDED: 'too-heavy',
  TOO_MANY_ROWS_OR_BYTES: 'too-heavy',
  TOO_MANY_SIMULTANEOUS_QUERIES: 'unavailable',
  TOO_MANY_PARTS: 'unavailable',
  NETWORK_ERROR: 'unavailable',
  SOCKET_TIMEOUT: 'unavailable',
  ALL_CONNECTION_TRIES_FAILED: 'unavailable',
  TABLE_IS_READ_ONLY: 'unavailable',
  NOT_ENOUGH_SPACE: 'unavailable',
  QUERY_WAS_CANCELLED: 'unavailable',
  ATTEMPT_TO_READ_AFTER_EOF: 'bad-data',
  INCORRECT_DATA: 'bad-data',
  TYPE_MISMATCH: 'bad-data',
  UNKNOWN_TYPE: 'bad-data',
  CANNOT_READ_ALL_DATA: 'bad-data',
  ARGUMENT_OUT_OF_BOUND: 'bad-data',
  UNEXPECTED_DATA_AFTER_PARSED_VALUE: 'bad-data',
  VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE: 'bad-data',
  VIOLATED_CONSTRAINT: 'bad-data',
};

/** ClickHouse's names of errors that a damaged part causes. Some of them have other causes as well. */
const DAMAGE =
  /^(CHECKSUM_DOESNT_MATCH|CORRUPTED_DATA|CANNOT_DECOMPRESS|CANNOT_READ_ALL_DATA|BAD_SIZE_OF_FILE_IN_DATA_PART|FILE_DOESNT_EXIST|UNKNOWN_CODEC|ATTEMPT_TO_READ_AFTER_EOF|TOO_LARGE_SIZE_COMPRESSED|CANNOT_OPEN_FILE|NO_FILE_IN_DATA_PART)$/;
/** Matches the path of a file of a part. */
const PART_FILE = /\/(?:store|data)\/\S+\.(?:bin|c?mrk\d?|c?idx|txt|dat|json|packed)/;

/** Returns whether a statement failed because a file of a table is damaged. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof AnalyticsStoreError)) return false;
  return DAMAGE.test(nameOf(error.cause) ?? '') && PART_FILE.test(error.message);
}

/** Returns ClickHouse's name of an error; undefined if it has none. */
function nameOf(error: unknown): string | undefined {
  const name = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Classifies an error of the client. One without a name of ClickHouse is an error of the connection. */
export function toStoreError(error: unknown): AnalyticsStoreError {
  const name = nameOf(error);
  if (name === undefined) return new AnalyticsStoreError('unavailable', error);
  if (name.startsWith('CANNOT_PARSE_')) return new AnalyticsStoreError('bad-data', error);
  const named = new AnalyticsStoreError(FAILURES[name] ?? 'failed', error);
  // The damaged part can be put aside. The batch or the question is not the cause.
  return isDamage(named) ? new AnalyticsStoreError('unavailable', error) : named;
}

/** Rejects a statement whose caller no longer waits. */
export function callerLeft(): AnalyticsStoreError {
  return new AnalyticsStoreError('cancelled', new Error('the caller has left'));
}
