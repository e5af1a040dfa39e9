import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createHitsByProducer, registerHitWriterMetrics } from './hit-writer-metrics.js';

const batch = (producerId: string, hitCount: number) => ({ producerId, hitCount });
const NO_TOTALS = { batchesStored: 0, hitsStored: 0, batchesDuplicate: 0, batchesRejected: 0, failures: 0 };

it('what was added and what was sent again are shown by producer', async () => {
  const hits = createHitsByProducer();
  hits.note(batch('a', 10), { status: 'stored', hits: 10 });
  hits.note(batch('a', 10), { status: 'duplicate' });
  hits.note(batch('a', 10), { status: 'stored', hits: 4 });
  hits.note(batch('b', 3), { status: 'stored', hits: 3 });
  hits.note(batch('c', 3), { status: 'rejected', reason: 'no batch' });
  const registry = new Registry();
  registerHitWriterMetrics(registry, () => NO_TOTALS, hits);
  const series = (await registry.metrics()).split('\n').filter((line) => line.includes('producer='));
  expect(series.sort()).toEqual([
    'waymark_ingest_producer_repeated_hits{producer="a"} 16',
    'waymark_ingest_producer_repeated_hits{producer="b"} 0',
    'waymark_ingest_producer_stored_hits{producer="a"} 14',
    'waymark_ingest_producer_stored_hits{producer="b"} 3',
  ]);
});

it('only the 64 producers heard of last are remembered', () => {
  const hits = createHitsByProducer();
  for (let run = 0; run < 70; run += 1) {
    hits.note(batch('always', 1), { status: 'stored', hits: 1 });
    hits.note(batch(`run-${run}`, 1), { status: 'stored', hits: 1 });
  }
  const known = new Map(hits.entries());
  expect(known.size).toBe(64);
  expect(known.get('always')).toEqual({ stored: 70, repeated: 0 });
  expect(known.has('run-6')).toBe(false);
});
