import type { Readable } from 'node:stream';
import { type ClickHouseClient, TupleParam } from '@clickhouse/client';
import type { AnalyticsStore, QueryLimits, QueryParams } from './analytics-store.js';
import { readSettings } from './query-settings.js';
import type { StatementKiller } from './statement-killer.js';
import { toStoreError } from './store-error.js';

/** Gives a task a client in its turn. The signal ends the statements of the task. */
export type Schedule = <Result>(
  task: (client: ClickHouseClient, signal?: AbortSignal) => Promise<Result>,
  limits: QueryLimits,
) => Promise<Result>;

export interface StatementsDeps {
  readonly kind: AnalyticsStore['kind'];
  readonly read: Schedule;
  readonly write: Schedule;
  readonly killer: StatementKiller;
  /** Returns the maximum threads of a SELECT that begins now. Default: as many as the server likes. */
  readonly maxThreads?: () => number;
}

/** Runs the statements of a store with their bounds and parameters, and ends them when their callers leave. */
export function createStatements({
  kind,
  read,
  write,
  killer,
  maxThreads,
}: StatementsDeps): Pick<AnalyticsStore, 'query' | 'queryLines' | 'queryBlocks' | 'command'> {
  /** Runs a SELECT. The statement ends with its settings. */
  function select<Result>(
    [sql, params, limits]: readonly [string, QueryParams | undefined, QueryLimits],
    ask: (client: ClickHouseClient, statement: Statement) => Promise<Result>,
  ): Promise<Result> {
    const leftMs = timeLeft(limits);
    const task = (client: ClickHouseClient, abort_signal?: AbortSignal) =>
      killer.during(limits.signal, (tag) =>
        named(() => {
          const bounds = { limitMs: leftMs(), maxThreads: maxThreads?.(), tag };
          const query = `${sql}\n${readSettings(kind, bounds)}`;
          return ask(client, { query, ...bound(params), ...(abort_signal && { abort_signal }) });
        }),
      );
    return read(task, limits);
  }

  /** Returns a function that runs a SELECT and returns its unparsed answer. */
  function inFormat(format: 'JSONEachRow' | 'Native'): AnalyticsStore['queryLines'] {
    return (sql, params, limits = {}) =>
      select([sql, params, limits], async (client, { query, ...statement }) => {
        const { stream } = await client.exec({
          ...statement,
          query: `${query}\nFORMAT ${format}`,
          decompress_response_stream: kind === 'server',
        });
        return bytesOf(stream);
      });
  }

  return {
    query: <Row extends object>(sql: string, params?: QueryParams, limits: QueryLimits = {}) =>
      select([sql, params, limits], async (client, statement) => {
        const result = await client.query({ ...statement, format: 'JSONEachRow' });
        return result.json<Row>();
      }),

    queryLines: inFormat('JSONEachRow'),
    queryBlocks: inFormat('Native'),

    command: (sql, params) =>
      write(
        (client) =>
          named(async () => {
            await client.command({ query: sql, ...bound(params) });
          }),
        {},
      ),
  };
}

/** Reads a stream to its end. A single chunk, as the embedded engine gives it, is not copied. */
async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const [first, ...others] = chunks;
  return first !== undefined && others.length === 0 ? first : Buffer.concat(chunks);
}

interface Statement {
  readonly query: string;
  readonly query_params: Record<string, unknown>;
  readonly abort_signal?: AbortSignal;
}

/**
 * Starts the time limit, if one is set.
 *
 * @returns a function that returns the remaining milliseconds. It throws when no time is left
 */
function timeLeft({ withinMs }: QueryLimits): () => number | undefined {
  if (withinMs === undefined) return () => undefined;
  const endsAtMs = performance.now() + withinMs;
  return () => {
    const leftMs = Math.floor(endsAtMs - performance.now());
    if (leftMs < 1) throw new Error(`its turn did not come within ${withinMs} ms`);
    return leftMs;
  };
}

/** Returns parameters as the client takes them. */
export function bound(params: QueryParams = {}) {
  const tupled = Object.entries(params).map(([name, value]) => [name, withTuples(value)]);
  return { query_params: Object.fromEntries(tupled) as Record<string, unknown> };
}

function withTuples(value: QueryParams[string]): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => (Array.isArray(item) ? new TupleParam(item) : item));
}

export async function ping(client: ClickHouseClient, select: boolean): Promise<void> {
  const result = await client.ping({ select });
  if (!result.success) throw toStoreError(result.error);
}

/** Turns errors of the client into `AnalyticsStoreError`. */
export async function named<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
}
