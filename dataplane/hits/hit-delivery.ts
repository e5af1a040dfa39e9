import type { Logger } from 'pino';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import { untilDone } from './back-off.js';
import type { HitBacklog } from './hit-backlog.js';

/** `lost`: the bytes are gone. `stopped`: the outcome is unknown; deliver the batch again. */
export interface DeliveryOutcome {
  readonly kind: 'stored' | 'lost' | 'stopped';
}

/** Delivers batches to the sink, and repeats until they are acknowledged. */
export interface HitDelivery {
  /** Number of failed attempts. */
  readonly errors: number;
  /**
   * Delivers one batch. Batches of one producer must be delivered one after another; producers are independent.
   *
   * @param bytesOf returns the encoded batch for each attempt; undefined when it is gone
   */
  deliver(bytesOf: () => Promise<Uint8Array | undefined>): Promise<DeliveryOutcome>;
}

export interface HitDeliveryDeps {
  readonly sink: HitSink;
  readonly logger: Logger;
  readonly random: () => number;
  /** Ends all deliveries. */
  readonly signal: AbortSignal;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export function createHitDelivery({ sink, logger, random, signal }: HitDeliveryDeps): HitDelivery {
  let errors = 0;
  let isFailing = false;

  const onError = (error: unknown) => {
    errors += 1;
    if (!isFailing) logger.warn({ err: error }, 'hits cannot be delivered, trying again until they can');
    isFailing = true;
  };

  const attempt = async (bytesOf: () => Promise<Uint8Array | undefined>): Promise<DeliveryOutcome> => {
    const bytes = await bytesOf();
    if (bytes === undefined) return { kind: 'lost' };
    await sink.deliver(bytes);
    if (isFailing) logger.info('hits are delivered again');
    isFailing = false;
    return { kind: 'stored' };
  };

  return {
    get errors() {
      return errors;
    },
    async deliver(bytesOf) {
      const outcome = await untilDone(() => attempt(bytesOf), {
        firstDelayMs: FIRST_PAUSE_MS,
        longestDelayMs: LONGEST_PAUSE_MS,
        signal,
        random,
        onError,
      });
      return outcome ?? { kind: 'stopped' };
    },
  };
}

export interface BacklogDeliveryDeps {
  readonly backlog: HitBacklog;
  readonly delivery: HitDelivery;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  onDelivered(hitCount: number): void;
  onLost(hitCount: number): void;
}

/** Delivers the batches of this process in sequence until `signal` is aborted. */
export async function deliverBacklog(deps: BacklogDeliveryDeps): Promise<void> {
  const { backlog, delivery, logger, signal, onDelivered, onLost } = deps;
  for (;;) {
    const batch = await backlog.oldest(signal);
    if (batch === undefined) return;
    const { kind } = await delivery.deliver(() => backlog.bytesOf(batch));
    if (kind === 'stopped') return;
    if (kind === 'stored') onDelivered(batch.hitCount);
    else {
      logger.error(
        { sequence: batch.sequence, hits: batch.hitCount },
        'a spooled batch can no longer be read',
      );
      onLost(batch.hitCount);
    }
    await backlog.removeOldest();
  }
}
