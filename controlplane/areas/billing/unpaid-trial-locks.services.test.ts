import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwnerMails } from '../../mail/owner-mails.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createBlockedCount } from '../../storage/postgres/blocked-transactions.fixture.js';
import { newId } from '../../storage/postgres/new-id.js';
import { PLANS } from '../plans/default-plans.js';
import { createExcessRedirects } from '../plans/excess-redirects.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';

const REDIRECTS = 8;
let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

const query = <Row>(sql: string, ...params: readonly unknown[]) =>
  area.api.database.query<Row & object>(sql, params);
/** Holds the locks of `sql` until `release` is called. `waiting` counts the transactions that wait for them. */
async function hold(sql: string, ...params: readonly unknown[]) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let done: Promise<void> = Promise.resolve();
  const waiting = await new Promise<() => Promise<number>>((resolve) => {
    done = area.api.database.transaction(async (tx) => {
      await tx.query(sql, params);
      resolve(await createBlockedCount(tx, area.api.database));
      await ended;
    });
  });
  const release = () => {
    end();
    return done;
  };
  return { waiting, release };
}

it('a plan that is bought while a notice takes effect leaves all redirects switched on', async () => {
  const { database } = area.api;
  const user = await area.api.createUser();
  const ids = Array.from({ length: REDIRECTS }, () => newId());
  for (const [at, id] of ids.entries()) {
    await query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
         query_forwarding, sampling_rate, verification_value, verified_at, created_at)
       VALUES ($1, $2, $3, 'https://new.example', 'new.example', 'permanent', false, false, 1, 'v', now(),
         now() + make_interval(secs => $4))`,
      id,
      user.id,
      `trial-${at}.${user.id}.example`,
      at,
    );
  }
  await query(
    `INSERT INTO excess_notices (user_id, applies_at, checked_at) VALUES ($1, now() - interval '1 day', now() - interval '1 day')`,
    user.id,
  );
  const excess = createExcessRedirects({
    database,
    outbox: createRulesetOutbox(database),
    catalogue: createPlanCatalogue(Object.values(PLANS), 'free'),
    access: area.access,
    ownerMails: createOwnerMails({ enqueue: async () => undefined }),
    logger: pino({ level: 'silent' }),
    nowMs: area.now,
  });
  const { waiting, release } = await hold('SELECT FROM redirects WHERE id = $1 FOR UPDATE', ids.at(-1));
  const round = excess.runRound();
  await expect.poll(waiting).toBe(1);
  const bought = area.subscribe(user, 'pro');
  await expect.poll(waiting).toBe(2);
  await release();
  await Promise.all([round, bought]);
  expect(await query('SELECT FROM redirects WHERE user_id = $1 AND enabled', user.id)).toHaveLength(
    REDIRECTS,
  );
  expect(await query('SELECT FROM excess_notices WHERE user_id = $1', user.id)).toEqual([]);
});
