import path from 'node:path';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { settledWithin } from '../../../shared/async/deadline.js';
import type { AnalyticsStore } from './analytics-store.js';
import { openEmbeddedConnection } from './embedded-connection.js';
import { lowerEnginePriority } from './engine-priority.js';
import { createFairQueue } from './fair-queue.js';
import { insertRowsThroughFile } from './insert-rows.js';
import { createStatementKiller, killTagged } from './statement-killer.js';
import { createStatements, named, ping } from './statements.js';
import { toStoreError } from './store-error.js';

/** Time that running statements have when the store closes. */
const CLOSE_GRACE_MS = 1_000;
/** Interval at which a closing store cancels statements again. */
const CUT_AGAIN_AFTER_MS = 200;

/** Statements that the embedded store reads with at once. */
const READING_CONNECTIONS = 2;

/** Statements of questions that may wait for one of these. Answering that many takes seconds. */
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
    // What stays open keeps the directory from being opened again.
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
 * Runs statements of a connection one by one. Each waiting statement would occupy one of the four threads that Node
 * has for files, DNS and password hashes. Statements therefore wait here, which keeps one thread free.
 */
function embeddedStore(parts: EmbeddedParts): AnalyticsStore {
  const { writer, readers, control, insertFile, closeConnections } = parts;
  // Who writes waits for the answer before writing more.
  const writing = createFairQueue([writer], Infinity);
  const reading = createFairQueue(readers, MAX_WAITING);
  const killer = createStatementKiller((tags) => killTagged(control, tags));

  const drained = () => Promise.all([writing.drained(), reading.drained()]);

  /** No harm is done: a statement that takes long is a SELECT, or an insert that will be repeated. */
  const cutShort = async () => {
    // One that is only about to begin is not there to be ended the first time.
    do await control.command({ query: "KILL QUERY WHERE query NOT LIKE 'KILL QUERY%' ASYNC" });
    while (!(await settledWithin(CUT_AGAIN_AFTER_MS, drained())));
  };

  return {
    kind: 'embedded',
    ...createStatements({
      kind: 'embedded',
      // No signal reaches the engine, which ends statements only when it is told to.
      read: (task, limits) =>
        (limits.isIngestion === true ? writing : reading).run((client) => task(client), limits),
      write: (task) => writing.run((client) => task(client)),
      killer,
    }),
    insertRows: (insert) =>
      writing.run((client) => named(() => insertRowsThroughFile(client, insert, insertFile))),
    async ping() {
      // An engine at work is alive, and a probe has no time to queue behind a long query.
      if (reading.length === 0) await reading.run((client) => ping(client, true));
    },
    async close() {
      // The engine does not survive being closed under a statement, nor does its process end before it.
      await settledWithin(CLOSE_GRACE_MS, drained());
      const closing = toStoreError(new Error('the store is being closed'));
      for (const queue of [writing, reading]) queue.refuse(closing);
      await killer.close();
      // There are those, too, that came while others had their time.
      if (writing.length + reading.length > 0) await cutShort();
      await closeConnections();
    },
  };
}
