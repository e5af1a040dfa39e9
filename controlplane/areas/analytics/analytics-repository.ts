import { AppError } from '../../errors/app-error.js';
import type { AnalyticsStore, QueryLimits, QueryParams } from '../../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../../storage/clickhouse/store-error.js';
import { type Delivery, readDelivery } from './delivery.js';

/** The turn of a statement among those of the same caller. */
export type StatementTurn = Pick<QueryLimits, 'continues'>;

/** Facts about a redirect that every answer contains, and the way to query the rest. */
export interface AnalyticsRepository {
  /** @throws AppError SERVICE_UNAVAILABLE when the store cannot be reached or does not answer in time */
  select<Row extends object>(sql: string, params: QueryParams, turn?: StatementTurn): Promise<Row[]>;
  /** Runs a query and returns the unparsed rows: one JSON object per line, in UTF-8. */
  selectLines(sql: string, params: QueryParams): Promise<Buffer>;
  delivery(redirectId: string): Promise<Delivery>;
}

/** @param limits of each statement */
export function createAnalyticsRepository(
  store: AnalyticsStore,
  limits: QueryLimits = {},
): AnalyticsRepository {
  const refuse = (error: unknown) => {
    throw asAnswer(error);
  };
  const select = <Row extends object>(sql: string, params: QueryParams, turn: StatementTurn = {}) =>
    store.query<Row>(sql, params, { ...limits, ...turn }).catch(refuse);

  return {
    select,
    selectLines: (sql, params) => store.queryLines(sql, params, limits).catch(refuse),

    delivery: (redirectId) => readDelivery(select, redirectId),
  };
}

/** Converts errors that a caller can act on into answers. Other errors stay internal. */
export function asAnswer(error: unknown): unknown {
  if (!(error instanceof AnalyticsStoreError)) return error;
  if (error.failure === 'unavailable') {
    const message = 'Analytics cannot be reached at the moment; retry later. Redirecting is not affected.';
    return new AppError('SERVICE_UNAVAILABLE', { message, cause: error });
  }
  if (error.failure === 'too-heavy') {
    const message = 'There are too many hits in this period to answer in time; ask for a shorter one.';
    return new AppError('SERVICE_UNAVAILABLE', { message, cause: error });
  }
  // The client has disconnected; nothing has failed.
  if (error.failure === 'cancelled')
    return new AppError('SERVICE_UNAVAILABLE', { message: 'The client has left.' });
  return error;
}
