import { setImmediate as nextTurn } from 'node:timers/promises';
import pino from 'pino';
import { createHitRecorder } from '../../dataplane/hits/hit-recorder.js';
import { createKafkaSink } from '../../dataplane/hits/kafka-sink.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { answerOrders } from '../load/load-process.js';
import type { KafkaTopic } from '../servers/server-kind.js';
import { openBatchFile } from './batch-file.js';
import { createManyVisitors } from './many-visitors.js';

export interface BatchOrder {
  readonly hits: number;
  readonly workFolder: string;
  /** Destination of the batches: Kafka or this file. */
  readonly to: KafkaTopic | { readonly file: string };
}

/** The product's default. */
const FLUSH_INTERVAL_MS = 250;
/** Small enough for the recorder's buffer, which holds 65,536 hits. */
const HITS_PER_TURN = 500;
const MOST_BUFFERED = 32_000;

answerOrders(async ({ hits, workFolder, to }: BatchOrder): Promise<{ readonly hits: number }> => {
  const logger = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const sink = 'file' in to ? await openBatchFile(to.file) : createKafkaSink({ ...to, logger });
  const recordNext = await createManyVisitors();
  const recorder = createHitRecorder({
    dataDir: workFolder,
    sink,
    secretKey: Buffer.alloc(32),
    places: await openPlaces({ geoipDb: undefined }),
    detectDevice: createDeviceDetection(),
    flushIntervalMs: FLUSH_INTERVAL_MS,
    logger,
  });
  recorder.start();
  for (let made = 0; made < hits; ) {
    await nextTurn();
    if (recorder.stats().buffered > MOST_BUFFERED) continue;
    for (const end = Math.min(hits, made + HITS_PER_TURN); made < end; made += 1) {
      recordNext(recorder);
    }
  }
  while (recorder.stats().delivered < hits && recorder.stats().dropped === 0) await nextTurn();
  await recorder.stop();
  await sink.close();
  const { delivered, dropped } = recorder.stats();
  if (dropped > 0) throw new Error(`${dropped} hits were dropped while they were made`);
  return { hits: delivered };
});
