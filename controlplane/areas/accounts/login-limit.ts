import { createHash } from 'node:crypto';
import type { RateLimitStore, RateLimitStores } from '../../http/rate-limit-store.js';
import { tooManyRequests } from '../../http/too-many-requests.js';

const WINDOW_SECONDS = 300;
/** Maximum attempts of one caller at one account, per window. */
const MAX_OWN_ATTEMPTS = 10;
/** Maximum attempts of all unknown callers at one account, per window. */
const MAX_FOREIGN_ATTEMPTS = 50;
/** Time for which the address of a log-in stays known to the account. */
const KNOWN_SECONDS = 30 * 24 * 3600;

const REASON = 'There were too many attempts to log in to this account.';

/**
 * Limits the password attempts at one account from all addresses. Each caller has a limit. All callers that have not
 * logged in to the account in the last 30 days share a second limit. An attacker can therefore not lock the owner out
 * of a known address, and a new address waits at most five minutes after the attack has ended.
 */
export type LoginLimit = ReturnType<typeof createLoginLimit>;

export function createLoginLimit(stores: RateLimitStores) {
  const attempts = stores.open('logins', WINDOW_SECONDS);
  const known = stores.open('login-callers', KNOWN_SECONDS);

  return {
    /**
     * Counts an attempt. Call it before the password is checked.
     *
     * @param email in its normal form; the result does not depend on whether the account exists
     * @param caller as `callerKey` returns it
     * @throws {AppError} RATE_LIMIT_EXCEEDED
     */
    async attempt(email: string, caller: string): Promise<void> {
      const account = accountKey(email);
      const pair = `${account}:${caller}`;
      await countUpTo(MAX_OWN_ATTEMPTS, attempts, pair);
      if ((await known.get(pair)) === null) await countUpTo(MAX_FOREIGN_ATTEMPTS, attempts, account);
    },

    /** Removes the attempts of the caller after a correct password. */
    async succeed(email: string, caller: string): Promise<void> {
      const pair = `${accountKey(email)}:${caller}`;
      // A running window keeps its end.
      await Promise.all([attempts.forget(pair), known.forget(pair)]);
      await known.consume(pair);
    },
  };
}

async function countUpTo(limit: number, store: RateLimitStore, key: string): Promise<void> {
  const { count, msBeforeNext } = await store.consume(key);
  if (count > limit) throw tooManyRequests(REASON, msBeforeNext);
}

/** Returns a hash; the store must not hold e-mail addresses. */
function accountKey(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}
