import { openAnalyticsStore } from '../../controlplane/storage/clickhouse/client.js';
import { runProcess } from './run-process.js';

// A process whose embedded store runs an endless statement when an error occurs. Arguments: data directory, and the
// error.
const [, , dataDir = '', fault = ''] = process.argv;

const FAULTS: Readonly<Record<string, () => void>> = {
  throws: () => {
    throw new Error('nobody caught this');
  },
  rejects: () => void Promise.reject(new Error('nobody caught this')),
  exits: () => process.exit(3),
};

await runProcess({
  name: 'waymark-test',
  configure: () => ({ logLevel: 'fatal', dataDir: 'not-there' }),
  async start({ shutdown }) {
    const store = await openAnalyticsStore({ dataDir });
    shutdown.add(() => store.close());
    store.query('SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)').catch(() => {});
    // The statement then has its own thread.
    await store.query('SELECT 1');
    setImmediate(() => FAULTS[fault]?.());
    return 'running\n';
  },
});
