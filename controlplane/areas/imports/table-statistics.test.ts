import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type ImportsApi, startImportsApi } from './imports-api.fixture.js';

const ROWS = 6_000;
/** PostgreSQL may switch to a cached generic plan at the sixth execution. */
const CHANGES = 7;

let area: ImportsApi;
let user: TestUser;

beforeAll(async () => {
  area = await startImportsApi();
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

async function changeSome(): Promise<void> {
  for (let at = 0; at < CHANGES; at += 1) {
    const { status } = await area.api.call('POST', '/redirects', {
      token: user.token,
      body: {
        fromDomain: `${crypto.randomUUID()}.example`,
        toDomain: 'https://new.example',
        externalId: crypto.randomUUID(),
      },
    });
    expect(status).toBe(201);
  }
}

/** Returns the number of redirect rows that sequential scans have read. */
async function rowsOfScans(): Promise<number> {
  const { database } = area.api;
  // Each connection reports its reads at a different time.
  await Promise.all(
    Array.from({ length: 10 }, () => database.query('SELECT pg_stat_force_next_flush(), pg_sleep(0.05)')),
  );
  const [row] = await database.query<{ read: number }>(
    "SELECT seq_tup_read AS read FROM pg_stat_user_tables WHERE relid = to_regclass('redirects')",
  );
  return row?.read ?? Number.NaN;
}

it('changes after a large import use indexes, although their plans were made for a small table', async () => {
  const { database } = area.api;
  await changeSome();
  // With these statistics PostgreSQL scans the small table sequentially.
  await database.script('ANALYZE redirects');
  await changeSome();
  const file = ['fromDomain,toDomain'];
  for (let at = 0; at < ROWS; at += 1) file.push(`h${at}.example.com,https://n.example`);
  const one = await area.run(user, 'format=csv', file.join('\n'));
  expect(one.rows).toMatchObject({ created: ROWS });

  const before = await rowsOfScans();
  await changeSome();
  expect((await rowsOfScans()) - before).toBeLessThan(ROWS);
});
