import path from 'node:path';
import { type ClickHouseClient, ClickHouseLogLevel, createClient, TupleParam } from '@clickhouse/client';
import { settledWithin } from '../../shared/process/settled-within.js';
import type { AnalyticsStore, QueryLimits, QueryParams } from './analytics-store.js';
import { createConnectionPool } from './connection-pool.js';
import { openEmbeddedConnection } from './embedded-connection.js';
import { insertRows, insertRowsThroughFile } from './insert-rows.js';
import { REQUEST_TIMEOUT_MS, readSettings } from './query-settings.js';
import { toStoreError } from './store-error.js';

/** How long statements may go on once the store is closed. */
const CLOSE_GRACE_MS = 1_000;
/** After the first statements of a closing store were told to end. */
const CUT_AGAIN_AFTER_MS = 200;

/** Statements that the embedded store reads with at once. */
const READING_CONNECTIONS = 2;

/**
 * Statements that may wait for one of these, but for those of hits and limits. Many dashboards ask for as many at once,
 * and it is seconds until the last of them is answered.
 */
const MAX_WAITING = 500;

/** Failures are thrown; the client need not write them to the console as well. */
const log = { level: ClickHouseLogLevel.OFF };

export interface AnalyticsStoreOptions {
  /** Address of a server, with user, password and database in it. Without it the embedded store is opened. */
  readonly clickhouseUrl?: string | undefined;
  /** The embedded store lives in `clickhouse/` below it. */
  readonly dataDir: string;
}

/**
 * Opens the store that the configuration names. A server is first spoken to by the first statement.
 *
 * @throws a one-line error when the embedded store is needed and is not installed, or is open elsewhere
 */
export async function openAnalyticsStore(options: AnalyticsStoreOptions): Promise<AnalyticsStore> {
  const { clickhouseUrl, dataDir } = options;
  if (clickhouseUrl !== undefined) return serverStore(clickhouseUrl);
  const connect = async () =>
    createClient({ connection: await openEmbeddedConnection(path.join(dataDir, 'clickhouse')), log });
  const writer = await connect();
  const readers: ClickHouseClient[] = [];
  try {
    while (readers.length < READING_CONNECTIONS) readers.push(await connect());
  } catch (error) {
    // What stays open keeps the directory from being opened again.
    for (const client of [...readers, writer]) await client.close();
    throw error;
  }
  return embeddedStore({
    writer,
    readers,
    connect,
    insertFile: path.join(dataDir, 'clickhouse-insert.native'),
  });
}

function serverStore(url: string): AnalyticsStore {
  const client = createClient({
    url,
    application: 'waymark',
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: 10,
    // What is sent is small, or compressed already.
    compression: { request: false, response: true },
    keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
    use_multipart_params_auto: true,
    log,
  });
  return {
    kind: 'server',
    ...statements('server', { read: (task) => task(client), write: (task) => task(client) }),
    insertRows: (insert) => named(() => insertRows(client, insert)),
    ping: () => ping(client),
    close: () => client.close(),
  };
}

interface EmbeddedParts {
  readonly writer: ClickHouseClient;
  readonly readers: readonly ClickHouseClient[];
  /** Opens one more connection. */
  readonly connect: () => Promise<ClickHouseClient>;
  readonly insertFile: string;
}

/**
 * A connection runs one statement at a time, and each one waiting for it would hold one of the four threads that Node
 * has for files, DNS and password hashes. So the waiting is done here, and one thread is always left. Hits that arrive
 * do not wait for who asks about hits.
 */
function embeddedStore({ writer, readers, connect, insertFile }: EmbeddedParts): AnalyticsStore {
  // Who writes waits for the answer before writing more.
  const writing = createConnectionPool([writer], Infinity);
  const reading = createConnectionPool(readers, MAX_WAITING);

  const drained = () => Promise.all([writing.drained(), reading.drained()]);

  /** No harm is done: a statement that takes long is a SELECT, or an insert that will be repeated. */
  const cutShort = async () => {
    const client = await connect();
    // One that is only about to begin is not there to be ended the first time.
    do await client.command({ query: "KILL QUERY WHERE query NOT LIKE 'KILL QUERY%' ASYNC" });
    while (!(await settledWithin(CUT_AGAIN_AFTER_MS, drained())));
    await client.close();
  };

  return {
    kind: 'embedded',
    ...statements('embedded', {
      read: (task, isPatient) => reading.run(task, isPatient),
      write: (task) => writing.run(task),
    }),
    insertRows: (insert) =>
      writing.run((client) => named(() => insertRowsThroughFile(client, insert, insertFile))),
    async ping() {
      // An engine at work is alive, and a probe has no time to queue behind a long query.
      if (reading.length === 0) await reading.run(ping);
    },
    async close() {
      // The engine does not survive being closed under a statement, nor does its process end before it.
      await settledWithin(CLOSE_GRACE_MS, drained());
      const closing = toStoreError(new Error('the store is being closed'));
      for (const pool of [writing, reading]) pool.refuse(closing);
      // There are those, too, that came while others had their time.
      if (writing.length + reading.length > 0) await cutShort();
      for (const client of [...readers, writer]) await client.close();
    },
  };
}

/** Gives a task a client to speak to the store with, when it is its turn. */
type Schedule = <Result>(
  task: (client: ClickHouseClient) => Promise<Result>,
  isPatient?: boolean,
) => Promise<Result>;

function statements(
  kind: AnalyticsStore['kind'],
  { read, write }: Readonly<Record<'read' | 'write', Schedule>>,
): Pick<AnalyticsStore, 'query' | 'command'> {
  return {
    query: <Row extends object>(sql: string, params?: QueryParams, limits: QueryLimits = {}) => {
      const leftMs = timeLeft(limits);
      const ask = (client: ClickHouseClient) =>
        named(async () => {
          const result = await client.query({
            query: `${sql}\n${readSettings(kind, leftMs())}`,
            format: 'JSONEachRow',
            ...bound(params),
          });
          return result.json<Row>();
        });
      return read(ask, limits.isPatient);
    },
    command: (sql, params) =>
      write((client) =>
        named(async () => {
          await client.command({ query: sql, ...bound(params) });
        }),
      ),
  };
}

/** Begins to count. @returns what is left of the time; it throws when nothing is */
function timeLeft({ withinMs }: QueryLimits): () => number {
  if (withinMs === undefined) return () => Infinity;
  const endsAtMs = performance.now() + withinMs;
  return () => {
    const leftMs = Math.floor(endsAtMs - performance.now());
    if (leftMs < 1) throw new Error(`its turn did not come within ${withinMs} ms`);
    return leftMs;
  };
}

/** As the client wants it. */
function bound(params: QueryParams = {}) {
  const tupled = Object.entries(params).map(([name, value]) => [name, withTuples(value)]);
  return { query_params: Object.fromEntries(tupled) as Record<string, unknown> };
}

function withTuples(value: QueryParams[string]): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => (Array.isArray(item) ? new TupleParam(item) : item));
}

async function ping(client: ClickHouseClient): Promise<void> {
  const result = await client.ping({ select: true });
  if (!result.success) throw toStoreError(result.error);
}

async function named<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
}
