import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';
import { openAnalyticsStore } from '../../controlplane/storage/clickhouse/client.js';
import { migrateAnalyticsStore } from '../../controlplane/storage/clickhouse/migrate.js';
import { addGeneratedHits } from './generated-hits.js';
import { ROLL_UP_QUESTIONS, type RollUpQuestion } from './roll-up-questions.js';

/** Measures the answer times of the roll-ups: `node dist/bench/analytics/roll-up-times.js [--hits 10000000]`. */
const { values } = parseArgs({ options: { hits: { type: 'string', default: '1000000' } } });

const RUNS = 7;
const REDIRECT = 'measured';

async function measure(store: AnalyticsStore, { name, sql }: RollUpQuestion): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await store.query(sql, { redirect: REDIRECT });
    times.push(performance.now() - startedAt);
  }
  times.sort((one, other) => one - other);
  const [median = 0, slowest = 0] = [times[RUNS >> 1], times.at(-1)];
  process.stdout.write(
    `${name.padEnd(40)} ${median.toFixed(0).padStart(6)} ${slowest.toFixed(0).padStart(6)}\n`,
  );
}

const count = Number(values.hits);
const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-roll-ups-'));
const store = await openAnalyticsStore({ dataDir });
try {
  await migrateAnalyticsStore(store, pino({ level: 'silent' }));
  await addGeneratedHits(store, { redirectId: REDIRECT, count, visitors: Math.ceil(count / 10), days: 30 });
  await addGeneratedHits(store, { redirectId: 'other', count: count / 5, visitors: count / 50, days: 30 });
  await store.command('OPTIMIZE TABLE hits FINAL');
  process.stdout.write(`${'ms, one thread'.padEnd(40)} median    max\n`);
  for (const question of ROLL_UP_QUESTIONS) await measure(store, question);
} finally {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
}
