import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openAnalyticsStore } from '../storage/clickhouse/client.js';
import { migrateAnalyticsStore } from '../storage/clickhouse/migrate.js';
import { createKafkaIntake } from './kafka-intake.js';

// Runs an ingester in a separate process, for tests that kill it. Arguments: broker, topic, group, data directory, and
// the number of stored batches after which it hangs (0: never). The batch after them is stored but not committed.
const [broker = '', topic = '', groupId = '', dataDir = '', standStillAfter = '0'] = process.argv.slice(2);

const logger = pino({ level: 'silent' });
const store = await openAnalyticsStore({ dataDir });
await migrateAnalyticsStore(store, logger);
let inserts = 0;

const ingest = createKafkaIntake({
  brokers: [broker],
  topic,
  deadTopic: `${topic}-dead`,
  groupId,
  sessionTimeoutMs: 6_000,
  metrics: new Registry(),
  logger,
  store: {
    ...store,
    async insertRows(insert) {
      await store.insertRows(insert);
      if (insert.table !== 'hits') return;
      inserts += 1;
      if (inserts !== Number(standStillAfter)) return;
      process.send?.('standing still');
      await new Promise(() => {});
    },
  },
});

ingest.start();
process.once('SIGTERM', async () => {
  await ingest.stop();
  await store.close();
  process.exit(0);
});
