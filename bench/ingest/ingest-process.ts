import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { Registry } from 'prom-client';
import { createDirectIntake } from '../../controlplane/ingest/direct-intake.js';
import { createKafkaIntake } from '../../controlplane/ingest/kafka-intake.js';
import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';
import { openMigratedStore } from '../../controlplane/storage/clickhouse/migrate.js';
import { untilMerged } from '../analytics/until-merged.js';
import { answerOrders } from '../load/load-process.js';
import type { KafkaTopic } from '../servers/server-kind.js';
import { readBatchFile } from './batch-file.js';

/** Arguments of the process, as JSON. */
export interface IngestSetup {
  readonly dataDir: string;
  /** URL of the ClickHouse server. Without it, hits go into the embedded engine. */
  readonly clickhouseUrl: string | undefined;
  /** Topic of the batches. Without it, batches come from files. */
  readonly kafka?: KafkaTopic;
}

/** Stores the batches of `file`, if there is one, and waits until `storedHits` hits are in the store. */
export interface StoreOrder {
  readonly file?: string;
  readonly storedHits: number;
}

/** Orders to the process. `merge` waits until the engine has merged all stored hits. */
export type IngestOrder = StoreOrder | 'merge';

const LOOK_AGAIN_MS = 500;

const setup: IngestSetup = JSON.parse(process.argv[2] ?? '');
const logger = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }));
const store = await openMigratedStore(setup, logger);
const deliver = openIntake();
if (!process.connected) end(); // while the store was being opened
answerOrders(async (order: IngestOrder) => (order === 'merge' ? untilMerged(store) : take(order)), end);

/** The engine does not survive its process ending in the middle of a statement. */
function end(): void {
  void store.close().finally(() => process.exit(1));
}

/**
 * Opens the product's own intake. @returns the function that stores batches of files; undefined if they come from Kafka
 */
function openIntake(): ((encoded: Uint8Array) => Promise<void>) | undefined {
  const deps = { store, metrics: new Registry(), logger };
  const { dataDir, kafka } = setup;
  if (kafka === undefined) return createDirectIntake({ ...deps, dataDir }).deliver;
  const { brokers, topic } = kafka;
  createKafkaIntake({ ...deps, brokers, topic, groupId: topic, deadTopic: `${topic}-dead` }).start();
  return undefined;
}

async function take({ file, storedHits }: StoreOrder) {
  const batches = file === undefined ? [] : await readBatchFile(file);
  for (const batch of batches) await deliver?.(batch);
  let stored = await countHits(store);
  // With Kafka they are on their way.
  while (deliver === undefined && stored < storedHits) {
    await delay(LOOK_AGAIN_MS);
    stored = await countHits(store);
  }
  return { storedHits: stored, batches: batches.length };
}

async function countHits(analytics: AnalyticsStore): Promise<number> {
  const [row] = await analytics.query<{ found: number }>('SELECT count() AS found FROM hits');
  return row?.found ?? 0;
}
