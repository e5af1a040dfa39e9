import { readdir } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { settledWithin } from '../../../shared/async/deadline.js';
import { ignoring } from '../../../shared/process/error-facts.js';
import type { AnalyticsStore } from './analytics-store.js';
import { openEmbeddedConnection } from './embedded-connection.js';
import { createFairQueue } from './fair-queue.js';
import { insertRowsThroughFile } from './insert-rows.js';
import { createStatementKiller, killTagged } from './statement-killer.js';
import { createStatements, named, ping } from './statements.js';
import { toStoreError } from './store-error.js';

/** Time that running statements have when the store closes. */
const CLOSE_GRACE_MS = 1_000;
/** Interval at which a closing store cancels statements again. */
const CUT_AGAIN_AFTER_MS = 200;

/**
 * Maximum number of concurrent reading statements. Planning and merging use one thread, so with two statements one of
 * two processors is idle at times.
 */
const READING_CONNECTIONS = 3;

/**
 * Maximum threads of a statement. Not all threads, because the data plane runs on the same machine and its visitors
 * have priority.
 */
const MAX_THREADS = 2;

/** Maximum number of waiting questions. Answering that many takes seconds. */
const MAX_WAITING = 500;

/**
 * Opens the embedded store in `clickhouse/` below a folder.
 *
 * @throws a one-line error when the embedded engine is not installed, or the folder is open elsewhere
 */
export async function createEmbeddedStore(dataDir: string): Promise<AnalyticsStore> {
  const connections: ClickHouseClient[] = [];
  const connect = async () => {
    const connection = await openEmbeddedConnection(path.join(dataDir, 'clickhouse'));
    const client = createClient({ connection, log: { level: ClickHouseLogLevel.OFF } });
    connections.push(client);
    return client;
  };
  try {
    const [writer, control] = [await connect(), await connect()];
    const readers: ClickHouseClient[] = [];
    while (readers.length < READING_CONNECTIONS) readers.push(await connect());
    await lowerEnginePriority();
    return embeddedStore({
      writer,
      readers,
      control,
      insertFile: path.join(dataDir, 'clickhouse-insert.native'),
      closeConnections: () => closeAll(connections),
    });
  } catch (error) {
    // An open connection would keep the directory from being opened again.
    await closeAll(connections);
    throw error;
  }
}

async function closeAll(connections: readonly ClickHouseClient[]): Promise<void> {
  for (const client of connections) await client.close();
}

interface EmbeddedParts {
  readonly writer: ClickHouseClient;
  readonly readers: readonly ClickHouseClient[];
  /** Connection that ends statements of the others. */
  readonly control: ClickHouseClient;
  readonly insertFile: string;
  readonly closeConnections: () => Promise<void>;
}

/**
 * Runs statements of a connection one by one. Each waiting statement would occupy one of the threads that Node has for
 * files, DNS and password hashes. Statements therefore wait here. With `UV_THREADPOOL_SIZE` of 6 two threads stay free;
 * with the four of the default all are taken while hits are inserted beside three long questions.
 */
function embeddedStore(parts: EmbeddedParts): AnalyticsStore {
  const { writer, readers, control, insertFile, closeConnections } = parts;
  // A writer waits for the answer before it writes more.
  const writing = createFairQueue([writer], Infinity);
  const reading = createFairQueue(readers, MAX_WAITING);
  const killer = createStatementKiller((tags) => killTagged(control, tags));

  const drained = () => Promise.all([writing.drained(), reading.drained()]);

  /** Ends running statements. This is safe: a long one is a SELECT, or an insert that is repeated. */
  const cutShort = async () => {
    // The first attempt misses a statement that is about to begin.
    do await control.command({ query: "KILL QUERY WHERE query NOT LIKE 'KILL QUERY%' ASYNC" });
    while (!(await settledWithin(CUT_AGAIN_AFTER_MS, drained())));
  };

  return {
    kind: 'embedded',
    ...createStatements({
      kind: 'embedded',
      // The engine does not react to signals of the caller. It ends a statement only by a KILL statement.
      read: (task, limits) =>
        (limits.isIngestion === true ? writing : reading).run((client) => task(client), limits),
      write: (task) => writing.run((client) => task(client)),
      killer,
      // A second thread takes a tenth more processor time, and nothing is gained when other statements wait.
      maxThreads: () => (reading.waiting > 0 ? 1 : MAX_THREADS),
    }),
    insertRows: (insert) =>
      writing.run((client) => named(() => insertRowsThroughFile(client, insert, insertFile))),
    async ping() {
      // A busy engine works, and a probe has no time to wait behind a long query.
      if (reading.length === 0) await reading.run((client) => ping(client, true));
    },
    async close() {
      // The engine crashes if it is closed during a statement, and its process cannot end before the statement.
      await settledWithin(CLOSE_GRACE_MS, drained());
      const closing = toStoreError(new Error('the store is being closed'));
      for (const queue of [writing, reading]) queue.refuse(closing);
      await killer.close();
      // Further statements may have begun before the queues refused them.
      if (writing.length + reading.length > 0) await cutShort();
      await closeConnections();
    },
  };
}

/** Nice value of the engine's threads. The kernel gives them a third of the weight of processes that serve visitors. */
export const ENGINE_NICENESS = 5;

const TASKS = '/proc/self/task';

/**
 * Lowers the priority of all threads of this process except the main one. Statements and merges of the embedded engine
 * then yield to visitors. Threads inherit the priority of the thread that starts them: later threads of the engine have
 * the low priority, child processes and worker threads do not. Threads that already have a lower priority keep it. Does
 * nothing where there is no `/proc`. See controlplane/decisions/0048-priority-of-the-embedded-engine.md.
 */
export async function lowerEnginePriority(): Promise<void> {
  const threads = (await readdir(TASKS).catch(ignoring('ENOENT'))) ?? [];
  for (const thread of threads.map(Number)) {
    if (thread !== process.pid) lower(thread);
  }
}

function lower(thread: number): void {
  try {
    // Root could also raise the priority of a thread.
    if (getPriority(thread) < ENGINE_NICENESS) setPriority(thread, ENGINE_NICENESS);
  } catch {
    // The thread has ended.
  }
}
