import { getDomain } from 'tldts';
import type { Database } from '../../storage/postgres/database.js';
import { type AuthorityLimits, LIMIT_PERIOD_DAYS } from './authority-limits.js';
import { authorityRepository } from './authority-repository.js';
import { AttemptFailure } from './failures.js';

const DAY_SECONDS = 86_400;
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

/** Keeps orders at one authority within its limits. All control planes share the log. */
export interface OrderLog {
  /**
   * Counts an order that is placed now.
   *
   * @param isExempt whether only the limit of the host applies, because the authority announced the renewal
   * @throws {TooManyOrders} {NoToken}
   * @throws {AttemptFailure} RATE_LIMITED by the limit of the registered domain
   */
  count(host: string, isExempt: boolean): Promise<void>;
  /** Notes that the last order of a host gave no certificate. */
  noteFailed(host: string): Promise<void>;
}

export function createOrderLog(database: Database, directory: string, limits: AuthorityLimits): OrderLog {
  /** Returns the seconds until the n-th latest order is older than the period; undefined when there are fewer. */
  async function secondsToRoom(
    find: Parameters<typeof authorityRepository.nthLatestOrder>[1],
    limit: number,
    periodSeconds: number,
  ): Promise<number | undefined> {
    const ageSeconds = await authorityRepository.nthLatestOrder(database, find, limit, periodSeconds);
    return ageSeconds === undefined ? undefined : Math.max(1, periodSeconds - ageSeconds);
  }

  return {
    async count(host, isExempt) {
      const order = { directory, registeredDomain: registeredDomainOf(host), host };
      const { perHostAndHour, perDomain } = limits;
      const hostSeconds = await secondsToRoom(order, perHostAndHour, HOUR_SECONDS);
      if (hostSeconds !== undefined) throw new TooManyOrders(hostSeconds);
      if (!isExempt) {
        const { registeredDomain } = order;
        const period = LIMIT_PERIOD_DAYS * DAY_SECONDS;
        const domainSeconds = await secondsToRoom({ directory, registeredDomain }, perDomain, period);
        if (domainSeconds !== undefined) throw domainLimit(registeredDomain, perDomain, domainSeconds);
        const seconds = await authorityRepository.takeToken(database, directory, limits);
        if (seconds > 0) throw new NoToken(seconds);
      }
      await authorityRepository.countOrder(database, { ...order, isExempt });
    },
    noteFailed: (host) =>
      authorityRepository.noteFailedOrder(database, {
        ...{ directory, registeredDomain: registeredDomainOf(host), host },
      }),
  };
}

/** Private suffixes such as github.io are suffixes to authorities, too: each name below has limits of its own. */
function registeredDomainOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

function domainLimit(domain: string, perDomain: number, seconds: number): AttemptFailure {
  const until = new Date(Date.now() + seconds * 1_000).toISOString();
  return new AttemptFailure(
    'RATE_LIMITED',
    `Rate limited until ${until}: the authority issues ${perDomain} certificates per week for names of ${domain}.`,
    seconds,
  );
}
