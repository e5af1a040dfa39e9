import { getDomain } from 'tldts';
import type { Database } from '../../storage/postgres/database.js';
import type { AuthorityLimits } from './authority-limits.js';
import { authorityRepository } from './authority-repository.js';
import { AttemptFailure } from './failures.js';
import { type Bucket, limitRepository, subjectOf, tokenSeconds, UNTIL } from './limit-repository.js';

const HOUR_SECONDS = 3_600;

/** The limits of the authority allow no new order now. The order is delayed, not refused. */
export class NoToken extends Error {
  override name = 'NoToken';

  constructor(readonly seconds: number) {
    super(`the next order may be placed in ${Math.ceil(seconds)} s`);
  }
}

/** The host has reached its maximum of orders per hour. The order is delayed, not refused. */
export class TooManyOrders extends Error {
  override name = 'TooManyOrders';

  constructor(readonly seconds: number) {
    super(`the next order of the host may be placed in ${Math.ceil(seconds)} s`);
  }
}

/**
 * A limit of the authority for the registered domain or the names. Another authority may issue the certificate in the
 * meantime.
 */
export class LimitReached extends AttemptFailure {
  override name = 'LimitReached';
  /** Names the limit. */
  readonly subject: string;
  /** Seconds in which the limit allows one more order. */
  readonly tokenSeconds: number;

  /** @param seconds until the limit allows an order */
  constructor(
    private readonly bucket: Bucket,
    readonly seconds: number,
  ) {
    super('RATE_LIMITED', messageAt(bucket, seconds), seconds);
    this.subject = subjectOf(bucket);
    this.tokenSeconds = tokenSeconds(bucket);
  }

  /** Returns the same limit for a host with so many others before it. */
  after(others: number): LimitReached {
    return new LimitReached(this.bucket, this.seconds + others * this.tokenSeconds);
  }
}

/** Keeps orders at one authority within its limits. All control planes share the log. */
export interface OrderLog {
  /**
   * Counts an order that is placed now.
   *
   * @param isExempt whether only the limit of the host applies, because the authority announced the renewal
   * @throws {TooManyOrders} {NoToken} {LimitReached}
   */
  count(host: string, isExempt: boolean): Promise<void>;
  /** Records that the last order of a host produced no certificate. */
  noteFailed(host: string): Promise<void>;
}

export function createOrderLog(database: Database, directory: string, limits: AuthorityLimits): OrderLog {
  const { perHostAndHour } = limits;

  /** Returns the buckets always in the same sequence, which prevents deadlocks. */
  function bucketsOf(host: string, registeredDomain: string): Bucket[] {
    return [
      { directory, registeredDomain, host, limit: limits.perNames },
      { directory, registeredDomain, limit: limits.perDomain },
    ];
  }

  return {
    async count(host, isExempt) {
      const registeredDomain = registeredDomainOf(host);
      const order = { directory, registeredDomain, host };
      const ageSeconds = await authorityRepository.nthLatestOrder(
        database,
        order,
        perHostAndHour,
        HOUR_SECONDS,
      );
      if (ageSeconds !== undefined) throw new TooManyOrders(Math.max(1, HOUR_SECONDS - ageSeconds));
      // All limits or none are used.
      await database.transaction(async (tx) => {
        for (const bucket of isExempt ? [] : bucketsOf(host, registeredDomain)) {
          const seconds = await limitRepository.take(tx, bucket);
          if (seconds > 0) throw new LimitReached(bucket, seconds);
        }
        const seconds = isExempt ? 0 : await authorityRepository.takeToken(tx, directory, limits);
        if (seconds > 0) throw new NoToken(seconds);
        await authorityRepository.countOrder(tx, { ...order, isExempt });
        await limitRepository.endWait(tx, host);
      });
    },
    async noteFailed(host) {
      const registeredDomain = registeredDomainOf(host);
      await database.transaction(async (tx) => {
        const isCounted = await authorityRepository.noteFailedOrder(tx, {
          directory,
          registeredDomain,
          host,
        });
        if (!isCounted) return;
        for (const bucket of bucketsOf(host, registeredDomain)) {
          await limitRepository.giveBack(tx, bucket);
          await limitRepository.bringForward(tx, subjectOf(bucket));
        }
      });
    },
  };
}

/** Authorities treat private suffixes such as github.io as public suffixes: each name below one has separate limits. */
function registeredDomainOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

function messageAt({ registeredDomain, host, limit }: Bucket, seconds: number): string {
  const until = new Date(Date.now() + seconds * 1_000).toISOString();
  const what = host === undefined ? `for names of ${registeredDomain}` : `for exactly ${host}`;
  return `${UNTIL}${until}: the authority issues ${limit} certificates per week ${what}.`;
}
