import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createWorkerPool } from './worker-pool.js';

function openPool() {
  const stopping = new AbortController();
  const pool = createWorkerPool({
    config: {
      redirectHost: '127.0.0.1',
      redirectPort: 0,
      redirectWorkers: 1,
      adminHost: '127.0.0.1',
      adminPort: 0,
      dataDir: '/nonexistent',
      handoverMs: 0,
    },
    logger: pino({ level: 'silent' }),
    signal: stopping.signal,
  });
  return { pool, stopping };
}

test('a pool that is stopped while it opens its ports starts no process behind that', async () => {
  const { pool } = openPool();
  const started = expect(pool.start()).rejects.toThrow('stopped before they had started');
  await pool.stop();
  await started;
});

test('a pool whose process is told to end stops without being asked, also while it starts', async () => {
  const { pool, stopping } = openPool();
  const started = expect(pool.start()).rejects.toThrow('stopped before they had started');
  stopping.abort();
  await started;
});
