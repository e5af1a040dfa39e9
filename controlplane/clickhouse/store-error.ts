import { messageOf } from '../../shared/process/error-facts.js';

/**
 * What went wrong, as far as a caller can act on it: `unavailable` may pass by itself, `too-heavy` needs a
 * smaller question, `bad-data` fails the same way every time, `cancelled` means that the caller has left, `failed` is a
 * fault of ours.
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

/** Classifies what the client threw. An error that ClickHouse itself did not name is one of the connection. */
export function toStoreError(error: unknown): AnalyticsStoreError {
  const name = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  if (typeof name !== 'string') return new AnalyticsStoreError('unavailable', error);
  if (name.startsWith('CANNOT_PARSE_')) return new AnalyticsStoreError('bad-data', error);
  return new AnalyticsStoreError(FAILURES[name] ?? 'failed', error);
}

/** Rejects a statement whose result nobody waits for any longer. */
export function callerLeft(): AnalyticsStoreError {
  return new AnalyticsStoreError('cancelled', new Error('the caller has left'));
}
