import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { orAborted } from '../../shared/async/unless-aborted.js';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { HitBacklog } from './hit-backlog.js';

/** `lost`: the bytes are gone. `stopped`: the outcome is unknown; deliver the batch again. */
export type DeliveryOutcome = 'stored' | 'lost' | 'stopped';

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
    if (bytes === undefined) return 'lost';
    await sink.deliver(bytes);
    if (isFailing) logger.info('hits are delivered again');
    isFailing = false;
    return 'stored';
  };

  return {
    get errors() {
      return errors;
    },
    async deliver(bytesOf) {
      for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        try {
          return (await orAborted(signal, attempt(bytesOf))) ?? 'stopped';
        } catch (error) {
          if (!signal.aborted) onError(error);
        }
        // Half of the pause is random, so many processes do not return at the same moment.
        await delay(pauseMs * (0.5 + random() / 2), undefined, { signal }).catch(() => undefined);
      }
      return 'stopped';
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
    const outcome = await delivery.deliver(() => backlog.bytesOf(batch));
    if (outcome === 'stopped') return;
    if (outcome === 'stored') onDelivered(batch.hitCount);
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
