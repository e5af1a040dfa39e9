import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { DeviceDetection } from '../../shared/visitor/device.js';
import type { Places } from '../../shared/visitor/place.js';
import { createReferrerDomain } from '../../shared/visitor/referrer-domain.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { type BotDetection, createBotDetection } from './bot-reason.js';
import { createHitCounters, type HitCounters, type RedirectTally, type RuleTally } from './hit-counters.js';
import { createHitEncoder } from './hit-encoder.js';
import { DEFAULT_HIT_LIMITS, type HitLimits } from './hit-limits.js';
import { createHitPipeline } from './hit-pipeline.js';
import { HitRing } from './hit-ring.js';
import type { HitSlot } from './hit-slot.js';
import type { HitStats } from './hit-stats.js';
import { createParsingBudget } from './parsing-budget.js';

export type { HitSlot, HitStats, RedirectTally, RuleTally };

/**
 * Takes hits from the request handler. All but `start` and `stop` is for the visitor path: no I/O, no waiting, no
 * exceptions.
 *
 * ```ts
 * recorder.countRequest(tally);
 * if (outcome !== undefined) recorder.countMatch(ruleTally, recorder.isPerson(method, purpose, userAgent));
 * if (recorder.shouldRecord(rate)) {
 *   const slot = recorder.claim(tally, id, rate);
 *   if (slot !== undefined) { slot.host = host; slot.path = path; … }
 * }
 * ```
 */
export interface HitRecorder
  extends Pick<HitCounters, 'tallyOf' | 'countRequest' | 'ruleTallyOf' | 'countMatch'>,
    Pick<BotDetection, 'isPerson'> {
  /**
   * Decides by chance whether a hit is recorded.
   *
   * @param samplingRate the share of hits to record: 0 is never, 1 is always
   */
  shouldRecord(samplingRate: number): boolean;
  /**
   * Counts one recorded hit and returns the slot for its description. All fields are empty except `tally`,
   * `redirectId`, `samplingRate` and `timestampMs` (now). Fill it before the current turn ends, and drop the
   * reference then. Undefined when the buffer is full: the hit is counted as dropped.
   */
  claim(tally: RedirectTally, redirectId: string, samplingRate: number): HitSlot | undefined;
  /** Starts flushing and delivering, including batches of earlier runs. */
  start(): void;
  /**
   * Flushes the buffer, and drains the sink until a deadline. Undelivered batches stay on disk for the next start.
   * Leaves the sink open.
   */
  stop(): Promise<void>;
  stats(): HitStats;
}

export interface HitRecorderDeps {
  /** The sink for batches. The caller owns and closes it. */
  readonly sink: HitSink;
  /** Batches are spooled to the folder `hits/` in it. Several processes of one machine may share it. */
  readonly dataDir: string;
  /** The installation's secret, the key of visitors' hashes. */
  readonly secretKey: Buffer;
  readonly places: Places;
  /** Device detection with its cache. The request handler may share it. */
  readonly detectDevice: DeviceDetection;
  readonly flushIntervalMs: number;
  readonly logger: Logger;
  /** Aborted when the sink will not accept anything again. `stop` does not wait for it then. */
  readonly sinkGone?: AbortSignal;
  /**
   * Whether to deliver batches that ended processes left in `dataDir`. One of the processes that share it is enough.
   */
  readonly recoverProducers?: boolean;
  readonly limits?: Partial<HitLimits>;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  /** Unix time in milliseconds. */
  readonly now?: () => number;
}

/**
 * Limit for parsing user agents. Parsing that of a browser takes 35 µs, a hostile one 0.4 ms. The limit allows 2,900
 * new browsers a second, or a burst of 5,700.
 */
const PARSING_BUDGET = { share: 0.1, burstMs: 200, maxChargeMs: 2 };

/** The recorder of one process, with its own producer id. It does nothing in the background until `start`. */
export function createHitRecorder(deps: HitRecorderDeps): HitRecorder {
  // V8's Math.random is xorshift128+, seeded by the system. It is uniform enough for sampling, and the fastest
  // source.
  const { secretKey, places, detectDevice, random = Math.random, now = Date.now } = deps;
  const limits: HitLimits = { ...DEFAULT_HIT_LIMITS, ...deps.limits };
  const producerId = newProducerId();
  const counters = createHitCounters(limits);
  const ring = new HitRing(limits.bufferedHits, limits.bufferedTextLength);
  const parsing = createParsingBudget(PARSING_BUDGET);
  const detectBot = createBotDetection();
  const encode = createHitEncoder({
    producerId,
    parsing,
    identify: createVisitorIdentification(secretKey),
    detectBot,
    detectDevice,
    places,
    referrerDomainOf: createReferrerDomain(),
  });
  let recorded = 0;
  let refused = 0;
  const pipeline = createHitPipeline({
    ...deps,
    producerId,
    ring,
    counters,
    encode,
    limits,
    counted: () => ({ recorded, dropped: refused }),
    random,
    now,
  });

  return {
    tallyOf: counters.tallyOf,
    countRequest: counters.countRequest,
    ruleTallyOf: counters.ruleTallyOf,
    isPerson: detectBot.isPerson,
    countMatch: counters.countMatch,

    shouldRecord(samplingRate) {
      return samplingRate >= 1 || (samplingRate > 0 && random() < samplingRate);
    },

    claim(tally, redirectId, samplingRate) {
      recorded += 1;
      counters.countRecorded(tally);
      const slot = ring.claim(tally);
      if (slot === undefined) {
        refused += 1;
        counters.countDropped(tally);
        return undefined;
      }
      slot.redirectId = redirectId;
      slot.samplingRate = samplingRate;
      slot.timestampMs = now();
      pipeline.encodeSoon();
      return slot;
    },

    start: pipeline.start,
    stop: pipeline.stop,

    stats() {
      const flow = pipeline.stats();
      return {
        ...flow,
        recorded,
        dropped: refused + flow.dropped,
        refusedByShare: ring.refusedByShare(),
        unparsedAgents: parsing.refused(),
      };
    },
  };
}

/** 80 random bits as 16 characters of base 36. */
function newProducerId(): string {
  const value = BigInt(`0x${randomBytes(10).toString('hex')}`);
  return value.toString(36).padStart(16, '0');
}
