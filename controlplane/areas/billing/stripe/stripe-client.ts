import Stripe from 'stripe';
import { ConfigError } from '../../../../shared/config/environment.js';
import { AppError } from '../../../errors/app-error.js';
import type { BillingParts } from '../billing-parts.js';

/** Version of Stripe's API for types, answers and webhook events. */
export const API_VERSION = '2026-10-28.endive';

const TIMEOUT_MS = 8_000;
/** Maximum retries. Including the pauses, a hanging call fails within the time limit of an API request. */
const MAX_RETRIES = 2;

export interface StripeClientOptions {
  readonly secretKey: string;
  /** Address of Stripe's API, for tests. */
  readonly apiBase: string | undefined;
  /** Time limit of each attempt. Default: 8,000. */
  readonly timeoutMs?: number;
}

/** @throws {ConfigError} when `apiBase` has a path, which the SDK would drop */
export function createStripeClient(options: StripeClientOptions): Stripe {
  const { secretKey, apiBase, timeoutMs = TIMEOUT_MS } = options;
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: timeoutMs,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    appInfo: { name: 'Waymark' },
    ...(apiBase === undefined ? {} : addressParts(apiBase)),
  });
}

function addressParts(apiBase: string) {
  const { protocol, hostname, port, pathname } = new URL(apiBase);
  if (pathname !== '/') throw new ConfigError('STRIPE_API_BASE takes an http or https URL without a path');
  const isPlain = protocol === 'http:';
  return {
    protocol: isPlain ? ('http' as const) : ('https' as const),
    // Node connects to addresses without the brackets that URLs put around IPv6.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
  };
}

/** Stripe refused a valid request. The fault is in this service, not in the caller's request. */
export class StripeRefusal extends Error {
  /** The object does not exist or has ended. A cancelled subscription cannot change. */
  readonly isMissing: boolean;
  /** The payment was refunded already. */
  readonly isRefunded: boolean;

  constructor(cause: Stripe.errors.StripeError) {
    super(`Stripe refuses a request: ${cause.message}`, { cause });
    this.name = 'StripeRefusal';
    this.isMissing = cause.code === 'resource_missing';
    this.isRefunded = cause.code === 'charge_already_refunded';
  }
}

/**
 * Resolves to an answer of Stripe.
 *
 * @throws {AppError} SERVICE_UNAVAILABLE when Stripe does not answer or refuses the key
 * @throws {StripeRefusal}
 */
export async function answerOf<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (!(cause instanceof Stripe.errors.StripeError)) throw cause;
    const isRefusal =
      cause instanceof Stripe.errors.StripeInvalidRequestError ||
      cause instanceof Stripe.errors.StripeIdempotencyError;
    if (isRefusal) throw new StripeRefusal(cause);
    throw new AppError('SERVICE_UNAVAILABLE', {
      message: 'The payment provider does not answer at the moment; retry shortly.',
      cause,
    });
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof StripeRefusal && error.isMissing;
}

/** Parts that billing with Stripe is built from. */
export interface StripeParts extends BillingParts {
  /** Client of Stripe's API. */
  readonly stripe: Stripe;
}
