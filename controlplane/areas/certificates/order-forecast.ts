import type { Database } from '../../storage/postgres/database.js';
import type { Authorities } from './authorities.js';
import type { Certificate } from './certificate.js';
import { certificateQueue } from './certificate-queue.js';

/** Returns when orders that wait for the limits of the authorities are expected to be placed, by host. */
export type ForecastOrders = (
  userId: string,
  certificates: readonly Certificate[],
) => Promise<ReadonlyMap<string, Date>>;

/** Users take turns, so a host waits for those before it of its user, times the number of users. */
export function createOrderForecast(
  database: Database,
  authorities: Authorities | undefined,
): ForecastOrders {
  return async (userId, certificates) => {
    const waiting = certificates.filter(({ state }) => state === 'ordering').map(({ host }) => host);
    if (authorities === undefined || waiting.length === 0) return new Map();
    const seconds = await authorities.secondsToToken();
    if (seconds === 0) return new Map();
    const { positions, users } = await certificateQueue.positions(database, userId, waiting);
    const { ordersPerSecond } = authorities;
    const expectedAt = (position: number) =>
      new Date(Date.now() + (seconds + ((position - 1) * users) / ordersPerSecond) * 1_000);
    return new Map(positions.map(({ host, position }) => [host, expectedAt(position)]));
  };
}
