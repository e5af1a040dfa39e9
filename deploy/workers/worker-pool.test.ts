import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createWorkerPool } from './worker-pool.js';

test('a pool that is stopped while it opens its ports starts no process behind that', async () => {
  const pool = createWorkerPool({
    config: {
      redirectHost: '127.0.0.1',
      redirectPort: 0,
      redirectWorkers: 1,
      adminHost: '127.0.0.1',
      adminPort: 0,
    },
    logger: pino({ level: 'silent' }),
  });
  const started = expect(pool.start()).rejects.toThrow('stopped before they had started');
  await pool.stop();
  await started;
});
