import type { Logger } from 'pino';
import { orAborted } from '../../shared/async/unless-aborted.js';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import { createHitAccount } from './hit-account.js';
import { createHitBacklog } from './hit-backlog.js';
import { createHitBatcher } from './hit-batcher.js';
import type { HitCounters } from './hit-counters.js';
import { createHitDelivery, deliverBacklog } from './hit-delivery.js';
import type { HitEncoder } from './hit-encoder.js';
import { type HitLimits, maxBatchBytes } from './hit-limits.js';
import type { HitRing } from './hit-ring.js';
import { createHitSpool } from './hit-spool.js';
import type { HitStats } from './hit-stats.js';
import type { HitTotals } from './hit-totals-file.js';
import { spoolDirectory } from './spool-files.js';
import { createSpoolRecovery } from './spool-recovery.js';

/** The way of hits from the ring to the sink: flush, spool, deliver, recover. All of it is off the visitor path. */
export interface HitPipeline {
  start(): void;
  /** See `HitRecorder.stop`. */
  stop(): Promise<void>;
  /**
   * Schedules encoding. Call it when a hit was claimed. Hits are encoded in parts, after the visitors of this turn
   * have their answers: their data is still in the processor's caches, and the garbage collector has not copied it
   * yet.
   */
  encodeSoon(): void;
  /** Returns the statistics of the pipeline. They do not include the hits that the ring refused. */
  stats(): Omit<HitStats, 'recorded' | 'refusedByShare' | 'unparsedAgents'>;
}

export interface HitPipelineDeps {
  readonly producerId: string;
  readonly ring: HitRing;
  readonly counters: Pick<HitCounters, 'takeChanged'>;
  readonly encode: HitEncoder;
  readonly limits: HitLimits;
  readonly sink: HitSink;
  readonly dataDir: string;
  readonly flushIntervalMs: number;
  readonly logger: Logger;
  readonly sinkGone?: AbortSignal;
  readonly recoverProducers?: boolean;
  /** Number of recorded hits, and the number of these that the ring refused. */
  readonly counted: () => Pick<HitTotals, 'recorded' | 'dropped'>;
  readonly random: () => number;
  readonly now: () => number;
}

const DISK_GRACE_MS = 1_000;
/** Minimum number of hits for a turn of the event loop (1 µs). Fewer wait for the next flush. */
const HITS_PER_TURN = 32;

export function createHitPipeline(deps: HitPipelineDeps): HitPipeline {
  const { producerId, ring, limits, sink, logger, random, recoverProducers = true } = deps;
  const directory = spoolDirectory(deps.dataDir);
  const ending = new AbortController();
  const { signal } = ending;
  const delivery = createHitDelivery({ sink, logger, random, signal });
  const recovery = createSpoolRecovery({
    directory,
    ownProducerId: producerId,
    delivery,
    logger,
    now: deps.now,
  });
  const account = createHitAccount({
    directory,
    producerId,
    logger,
    counted: () => {
      const { recorded, dropped: refused } = deps.counted();
      return { recorded, dropped: refused + unmade };
    },
  });
  const spool = createHitSpool({
    directory,
    producerId,
    segmentBytes: limits.segmentBytes,
    // Without the lock of the account, other processes would take new files for those of a producer that has ended.
    prepare: account.open,
  });
  /** Undefined until it is known whether earlier runs left batches. */
  const bytesOnDisk = () => {
    const leftoverBytes = recoverProducers ? recovery.stats.leftoverBytes : 0;
    return leftoverBytes === undefined ? undefined : spool.sizeBytes + leftoverBytes;
  };
  const backlog = createHitBacklog({
    spool,
    logger,
    onKept: account.keep,
    leftoverBytes: () => recovery.stats.leftoverBytes ?? 0,
    maxBatchBytes: maxBatchBytes(limits),
    maxSpoolBytes: limits.spoolBytes,
    maxMemoryBytes: limits.memoryBytes,
  });
  let delivered = 0;
  let dropped = 0;
  let unmade = 0;
  const onLost = (hits: number) => {
    dropped += hits;
  };
  const onUnmade = (hits: number, error: unknown) => {
    logger.error({ err: error, hits }, 'hits could not be made a block');
    unmade += hits;
    onLost(hits);
  };
  const batcher = createHitBatcher({ ...deps, backlog, onLost: onUnmade });
  let timer: NodeJS.Timeout | undefined;
  let opened: Promise<void> | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let running: Promise<unknown> | undefined;
  let stopping: Promise<void> | undefined;
  let isEncodingSoon = false;
  let isClosingFull = false;

  const buffered = () => ring.size() + batcher.appendingHits();

  /** One step at a time. */
  const inTurn = (step: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    flushing = flushing
      .then(() => step(signal))
      .catch((error: unknown) => logger.error({ err: error }, 'hits could not be flushed'));
    return flushing;
  };

  const closeFull = async () => {
    if (isClosingFull || stopping !== undefined) return;
    isClosingFull = true;
    await inTurn(batcher.closeFull);
    isClosingFull = false;
  };

  const encodeWaiting = () => {
    isEncodingSoon = false;
    if (batcher.encodeWaiting()) void closeFull();
    else encodeSoon();
  };

  const encodeSoon = () => {
    if (isEncodingSoon || running === undefined || ring.waiting() < HITS_PER_TURN) return;
    isEncodingSoon = true;
    setImmediate(encodeWaiting);
  };

  const openAccount = () =>
    account.open().catch((error: unknown) => {
      logger.error({ err: error, directory }, 'the spool cannot be opened: hits stay in memory until it can');
    });

  const flushPeriodically = () => {
    if (stopping !== undefined) return;
    timer = setTimeout(() => {
      void inTurn(batcher.flush).then(flushPeriodically);
    }, deps.flushIntervalMs).unref();
  };

  const run = async () => {
    opened = openAccount();
    await opened;
    flushPeriodically();
    const ownBatches = deliverBacklog({
      backlog,
      delivery,
      logger,
      signal,
      onDelivered: (hits) => {
        delivered += hits;
      },
      onLost,
    });
    await Promise.all([ownBatches, recoverProducers ? recovery.run(signal) : undefined]);
  };

  /** Writes the remaining hits to disk and delivers them if time allows. */
  const finish = async () => {
    await opened;
    await flushing;
    await batcher.flush(signal);
    await backlog.untilEmpty(deps.sinkGone === undefined ? signal : AbortSignal.any([signal, deps.sinkGone]));
    ending.abort();
    await running;
    await spool.close();
  };

  /** Drops the hits in memory when the process ends. */
  const giveUpRest = (): number => {
    const lost = buffered() + backlog.abandonUnspooled();
    ring.release(ring.size());
    dropped += lost;
    return lost;
  };

  const stop = async () => {
    ring.close();
    clearTimeout(timer);
    if (running === undefined) return;
    const deadline = setTimeout(() => ending.abort(), limits.stopTimeoutMs);
    // The deadline ends all waiting for sink and room. A hanging disk ignores it, hence the second limit.
    const bound = AbortSignal.timeout(limits.stopTimeoutMs + DISK_GRACE_MS);
    await orAborted(bound, finish()).finally(() => clearTimeout(deadline));
    const lost = giveUpRest();
    await orAborted(bound, account.close(lost));
    if (lost > 0) logger.error({ hits: lost }, 'ended with hits that neither sink nor disk could take');
    if (!backlog.isEmpty) logger.warn({ hits: backlog.hitCount }, 'undelivered hits stay on disk');
  };

  return {
    start() {
      running ??= run();
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
    encodeSoon,
    stats: () => ({
      delivered,
      dropped,
      buffered: buffered(),
      spooled: backlog.hitCount,
      spoolBytes: bytesOnDisk(),
      recoveredBatches: recovery.stats.recoveredBatches,
      lost: recovery.stats.lostHits,
      damagedBytes: recovery.stats.damagedBytes,
      deliveryErrors: delivery.errors,
      spoolErrors: backlog.spoolErrors,
    }),
  };
}
