import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { HOLD_LEASE, RELEASE_LEASE } from './redis-scripts.js';

/** Longer than some missed renewals, shorter than the time after which data planes become stale. */
const LEASE_MS = 5_000;

/**
 * Lease for work that one of several control planes should do. It only saves work: two holders at a time, after a
 * slow process or a Redis fail-over, do no harm.
 */
export interface RedisLease {
  /** Whether the last attempt to take or prolong the lease succeeded. */
  readonly held: boolean;
  hold(): Promise<void>;
  /** Releases the lease. Another process can then take it immediately. Never rejects. */
  release(): Promise<void>;
}

export function createRedisLease(redis: Redis, key: string): RedisLease {
  const id = randomUUID();
  let held = false;
  return {
    get held() {
      return held;
    },
    async hold() {
      try {
        held = (await redis.eval(HOLD_LEASE, 1, key, id, LEASE_MS)) === 1;
      } catch (error) {
        held = false;
        throw error;
      }
    },
    async release() {
      if (!held) return;
      held = false;
      // Without an answer it expires.
      await redis.eval(RELEASE_LEASE, 1, key, id).catch(() => undefined);
    },
  };
}
