import type { AreaParts } from '../../area.js';
import { type ClaimedDelivery, deliveryQueue, type NextStep } from './delivery-queue.js';
import { endpointRepository } from './endpoint-repository.js';
import { type AttemptOutcome, isGone, isTaken } from './webhook-delivery.js';
import type { WebhookMetrics } from './webhook-metrics.js';
import type { WebhookSecrets } from './webhook-secrets.js';
import type { SendWebhook } from './webhook-sender.js';

interface DeliveryAttemptDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly secrets: WebhookSecrets;
  readonly send: SendWebhook;
  readonly metrics: WebhookMetrics;
}

/**
 * Sends a claimed delivery once and stores the result. Releases the claim if `signal` cancels the attempt. Never
 * rejects: if the result cannot be stored, the delivery is sent again when the claim expires.
 */
export type AttemptDelivery = (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<void>;

export function createDeliveryAttempt(deps: DeliveryAttemptDeps): AttemptDelivery {
  const { database, secrets, send, metrics, logger } = deps;

  function readSecret(secret: Buffer | null, endpointId: string): string | undefined {
    try {
      return secret === null ? undefined : secrets.read(secret, endpointId);
    } catch (error) {
      logger.error({ err: error, endpointId }, 'the secret of a webhook endpoint cannot be decrypted');
      return undefined;
    }
  }

  async function outcomeOf(delivery: ClaimedDelivery, signal: AbortSignal): Promise<AttemptOutcome> {
    const { endpointId } = delivery;
    const secret = readSecret(delivery.secret, endpointId);
    if (secret === undefined) return { responseCode: null, error: 'secret_unreadable' };
    const { url, eventId: id, payload } = delivery;
    const previousSecret = readSecret(delivery.previousSecret, endpointId);
    return send({ url, secret, previousSecret, id, payload }, signal);
  }

  async function attempt(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const at = new Date().toISOString();
    const startedMs = performance.now();
    const outcome = await outcomeOf(delivery, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (outcome === undefined) return deliveryQueue.release(database, delivery);
    const { responseCode, error } = outcome;
    const logged = { at, responseCode, error, durationMs: Math.round(performance.now() - startedMs) };
    const next = nextStep(outcome, delivery.attemptNumber);
    metrics.attempted(logged);
    if (next.kind === 'failed') metrics.gaveUp();
    await deliveryQueue.settle(database, delivery, logged, next);
    if (isGone(outcome)) await disable(delivery);
    if (isTaken(outcome) && delivery.isDisabled)
      await endpointRepository.enable(database, delivery.endpointId);
  }

  async function disable({ endpointId }: ClaimedDelivery): Promise<void> {
    logger.info({ endpointId }, 'a webhook endpoint is gone and is sent nothing more');
    await endpointRepository.disable(database, endpointId);
  }

  return (delivery, signal) =>
    attempt(delivery, signal).catch((error: unknown) => {
      logger.error({ err: error, deliveryId: delivery.id }, 'what came of a webhook message is not known');
    });
}

function nextStep(outcome: AttemptOutcome, attemptNumber: number): NextStep {
  if (isTaken(outcome)) return { kind: 'delivered' };
  if (isGone(outcome)) return { kind: 'failed' };
  const askedSeconds = outcome.error === null ? outcome.retryAfterSeconds : undefined;
  const inSeconds = retryDelaySeconds(attemptNumber, Math.random(), askedSeconds);
  return inSeconds === undefined ? { kind: 'failed' } : { kind: 'again', inSeconds };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Seconds between attempts. The first delays are short, for a restart. Later ones are longer, for an outage of a
 * weekend.
 */
const DELAYS_SECONDS: readonly number[] = [
  5,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
];

/** Maximum delay that an endpoint may request. It adds little to the three days. */
const MAX_ASKED_SECONDS = HOUR;

/** Maximum random share of a delay. Endpoints that failed together must not be tried again together. */
const JITTER = 0.1;

/**
 * Returns the delay after a failed attempt, or undefined after about three days of attempts.
 *
 * @param attemptNumber of the failed attempt; 1 for the first
 * @param random from 0 to 1
 * @param askedSeconds minimum delay that the endpoint requested; at most an hour counts
 */
export function retryDelaySeconds(
  attemptNumber: number,
  random: number,
  askedSeconds = 0,
): number | undefined {
  const delay = DELAYS_SECONDS[attemptNumber - 1];
  if (delay === undefined) return undefined;
  return Math.max(delay * (1 + JITTER * (2 * random - 1)), Math.min(askedSeconds, MAX_ASKED_SECONDS));
}
