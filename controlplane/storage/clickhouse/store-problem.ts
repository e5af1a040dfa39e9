import { connectionProblem } from '../../../shared/process/connection-problem.js';
import type { AnalyticsStore } from './analytics-store.js';
import { AnalyticsStoreError } from './store-error.js';

/** Problem and fix for each error, keyed by ClickHouse's name of the error. */
const PROBLEMS: Readonly<Record<string, { readonly problem: string; readonly fix: string }>> = {
  AUTHENTICATION_FAILED: {
    problem: 'has a user name or password that ClickHouse refuses',
    fix: 'correct it',
  },
  REQUIRED_PASSWORD: { problem: 'has no password, and ClickHouse wants one', fix: 'add it' },
  UNKNOWN_DATABASE: {
    problem: 'names a database that does not exist',
    fix: 'create it with CREATE DATABASE, or correct the name',
  },
  ACCESS_DENIED: {
    problem: 'names a user who may not make tables there',
    fix: 'grant the rights on the database to the user',
  },
};

/**
 * Returns the change that makes a ClickHouse server usable: variable, problem, fix, on one line. Undefined for an
 * error that no operator can fix.
 *
 * @param kind of the store
 */
export function storeProblem(error: unknown, kind: AnalyticsStore['kind']): string | undefined {
  if (!(error instanceof AnalyticsStoreError)) return undefined;
  const [reason = ''] = error.message.split('\n');
  if (kind === 'embedded') {
    if (error.failure !== 'unavailable') return undefined;
    return `DATA_DIR holds an embedded ClickHouse that cannot be used: ${reason} (see that the disk has room)`;
  }
  const known = PROBLEMS[nameOf(error.cause)];
  if (known !== undefined) return `CLICKHOUSE_URL ${known.problem} (${reason}): ${known.fix}`;
  if (error.failure !== 'unavailable') return undefined;
  return `CLICKHOUSE_URL names a server that cannot be reached: ${connectionProblem(error.cause)}`;
}

/** Returns the client's name for an error that ClickHouse reported. */
function nameOf(cause: unknown): string {
  return cause instanceof Error && 'type' in cause && typeof cause.type === 'string' ? cause.type : '';
}
