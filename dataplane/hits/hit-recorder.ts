import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import { createBotDetection } from './bot-reason.js';
import { createHitEncoder } from './hit-encoder.js';
import { DEFAULT_HIT_LIMITS, type HitLimits } from './hit-limits.js';
import { createHitPipeline } from './hit-pipeline.js';
import { createHitRing } from './hit-ring.js';
import type { HitSlot } from './hit-slot.js';
import type { HitStats } from './hit-stats.js';
import { createRedirectTallies, type RedirectTally } from './redirect-tallies.js';
import { createVisitorIdentification } from './visitor-identity.js';

export type { HitSlot, HitStats, RedirectTally };

/**
 * Takes hits from the request handler. `tallyOf`, `countRequest`, `shouldRecord` and `claim` are for the visitor
 * path: they do no I/O, never wait and never throw.
 *
 * ```ts
 * recorder.countRequest(tally);
 * if (recorder.shouldRecord(rate)) {
 *   const slot = recorder.claim(tally, rate);
 *   if (slot !== undefined) { slot.host = host; slot.path = path; … }
 * }
 * ```
 */
export interface HitRecorder {
  /** The tally of a redirect, the same object for the same id: look it up once and keep it. */
  tallyOf(redirectId: string): RedirectTally;
  /** Counts one answered request, recorded or not. */
  countRequest(tally: RedirectTally): void;
  /**
   * Draws whether a hit is recorded.
   *
   * @param samplingRate the share of hits to record: 0 is never, 1 is always
   */
  shouldRecord(samplingRate: number): boolean;
  /**
   * Counts one recorded hit and gives the slot to describe it in; all its fields are empty but `redirectId`,
   * `samplingRate` and `timestampMs` (now). Fill it before the current turn ends and then forget it. Undefined
   * when the buffer is full: the hit is counted as dropped.
   */
  claim(tally: RedirectTally, samplingRate: number): HitSlot | undefined;
  /** Starts flushing and delivering, leftovers of earlier runs included. */
  start(): void;
  /**
   * Flushes what is buffered, waits a bounded time until the sink has everything and ends; what it has not got
   * by then stays on disk for the next start. Leaves the sink open.
   */
  stop(): Promise<void>;
  stats(): HitStats;
}

export interface HitRecorderDeps {
  /** Where batches go; it belongs to the caller and is not closed here. */
  readonly sink: HitSink;
  /** Batches are spooled to `hits/` in it. Several processes of one machine may share it. */
  readonly dataDir: string;
  /** The installation's secret; keys the visitors' hashes. */
  readonly secretKey: Buffer;
  readonly flushIntervalMs: number;
  readonly logger: Logger;
  /** Aborted when the sink will never take anything again: `stop` does not wait for it then. */
  readonly sinkGone?: AbortSignal;
  /** Whether to deliver what ended processes left in `dataDir`; one of those that share it suffices. */
  readonly recoverProducers?: boolean;
  readonly limits?: Partial<HitLimits>;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  /** Unix time in milliseconds. */
  readonly now?: () => number;
}

/** The recorder of one process, under a producer id of its own. It does nothing in the background until `start`. */
export function createHitRecorder(deps: HitRecorderDeps): HitRecorder {
  // V8's Math.random is xorshift128+, seeded by the system: even enough for sampling, and the fastest there is.
  const { secretKey, random = Math.random, now = Date.now } = deps;
  const limits: HitLimits = { ...DEFAULT_HIT_LIMITS, ...deps.limits };
  const producerId = newProducerId();
  const tallies = createRedirectTallies();
  const ring = createHitRing(limits.bufferedHits);
  const encode = createHitEncoder({
    producerId,
    identify: createVisitorIdentification(secretKey),
    detectBot: createBotDetection(),
  });
  const pipeline = createHitPipeline({ ...deps, producerId, ring, tallies, encode, limits, random, now });
  let recorded = 0;
  let refused = 0;

  return {
    tallyOf: tallies.of,

    countRequest(tally) {
      tally.requests += 1;
      tallies.markChanged(tally);
    },

    shouldRecord(samplingRate) {
      return samplingRate >= 1 || (samplingRate > 0 && random() < samplingRate);
    },

    claim(tally, samplingRate) {
      recorded += 1;
      tally.recorded += 1;
      tallies.markChanged(tally);
      const slot = ring.claim();
      if (slot === undefined) {
        refused += 1;
        tally.dropped += 1;
        return undefined;
      }
      slot.redirectId = tally.redirectId;
      slot.samplingRate = samplingRate;
      slot.timestampMs = now();
      return slot;
    },

    start: pipeline.start,
    stop: pipeline.stop,

    stats() {
      const flow = pipeline.stats();
      return { ...flow, recorded, dropped: refused + flow.dropped };
    },
  };
}

/** 80 random bits as 16 characters of base 36. */
function newProducerId(): string {
  const value = BigInt(`0x${randomBytes(10).toString('hex')}`);
  return value.toString(36).padStart(16, '0');
}
