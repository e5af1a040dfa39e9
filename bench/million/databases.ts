import type { Database } from '../../controlplane/storage/postgres/database.js';
import type { Installation } from './installation.js';
import { seedList, seedRedirects, settle } from './seed.js';
import { startTogether } from './starts.js';

const SMALL_REDIRECTS = 1_000;

/** Has the control planes make their tables and the first user. They are left stopped. */
export async function makeDatabases({ controlplanes, small, redis }: Installation): Promise<void> {
  const both = [controlplanes[0], small.controlplane];
  await startTogether(both);
  await Promise.all(both.map((controlplane) => controlplane.stop()));
  // The seeded rows are not in the change log: whoever held a ruleset would never hear of them.
  await redis.flush();
}

/** @param onRows hears of the number of redirects that are there so far */
export async function seed(
  { database, small }: Installation,
  redirects: number,
  onRows: (redirects: number) => void,
): Promise<void> {
  await fill(small.database, SMALL_REDIRECTS);
  await fill(database, redirects, onRows);
}

function fill(database: Database, redirects: number, onRows?: (redirects: number) => void): Promise<void> {
  return database.session(async (connection) => {
    await seedList(connection);
    await seedRedirects(connection, redirects, onRows);
    await settle(connection);
  });
}
