import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { userRepository } from '../accounts/user-repository.js';
import { at, subscriptionIn, transactionIn } from './billing-histories.fixture.js';
import type { TransactionState } from './billing-states.js';
import { withGraceFromFirstFailure } from './grace-from-first-failure.js';
import type { TransactionType } from './provider.js';
import { transactionRepository } from './transaction-repository.js';

const DAY_S = 24 * 3600;
const PERIOD_S = 30 * DAY_S;
/** The last report of the subscription: its third period is unpaid. */
const REPORTED = 2;

let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

interface Charge {
  /** Number of periods since the subscription began. */
  readonly due: number;
  readonly status: TransactionState;
  readonly type?: TransactionType;
  /** Belongs to an earlier or later subscription of the same user. */
  readonly isOfAnother?: boolean;
}

/** Returns the period with which the grace period begins, for a subscription with these charges. */
async function countedFrom(charges: readonly Charge[]): Promise<number> {
  const { database } = test;
  const userId = newId();
  await userRepository.insert(database, { id: userId });
  for (const { due, status, type = 'subscription_cycle', isOfAnother = false } of charges) {
    const id = newId();
    const subscriptionId = isOfAnother ? `other_${userId}` : `sub_${userId}`;
    const createdAt = at(due * PERIOD_S);
    const transaction = { ...transactionIn(status, { id, userId, subscriptionId }), type, createdAt };
    const report = { provider: 'test', occurredAt: createdAt, eventId: id };
    await transactionRepository.save(database, { ...transaction, ...report });
  }
  const owed = subscriptionIn('past_due', { id: `sub_${userId}`, userId, period: REPORTED });
  const reported = { ...owed, pastDueSince: at(REPORTED * PERIOD_S) };
  const { pastDueSince } = await withGraceFromFirstFailure(database, 'test', reported);
  return ((pastDueSince?.getTime() ?? Number.NaN) - at(0).getTime()) / (PERIOD_S * 1000);
}

const failedTwice: readonly Charge[] = [
  { due: 1, status: 'failed' },
  { due: 2, status: 'failed' },
];

it.each<[string, readonly Charge[], number]>([
  ['no charge is known of', [], REPORTED],
  ['two periods have failed in a row', failedTwice, 1],
  ['one was paid before the two', [{ due: 0, status: 'succeeded' }, ...failedTwice], 1],
  [
    'the first of the two was paid late',
    [
      { due: 1, status: 'succeeded' },
      { due: 2, status: 'failed' },
    ],
    2,
  ],
  [
    'another subscription of the same user was paid meanwhile',
    [...failedTwice, { due: 1.5, status: 'succeeded', isOfAnother: true }],
    1,
  ],
  [
    'another subscription of the same user has failed before',
    [{ due: 0, status: 'failed', isOfAnother: true }, ...failedTwice],
    1,
  ],
  [
    'a change of plan was paid between the two, with which the subscription was in order again',
    [...failedTwice, { due: 1.5, status: 'succeeded', type: 'payment' }],
    2,
  ],
  [
    'a change of plan was declined before the two',
    [{ due: 0.5, status: 'failed', type: 'payment' }, ...failedTwice],
    1,
  ],
  ['what was paid between the two was given back', [...failedTwice, { due: 1.5, status: 'refunded' }], 2],
  [
    'the first of the two was called off',
    [
      { due: 1, status: 'void' },
      { due: 2, status: 'failed' },
    ],
    2,
  ],
  ['a charge between the two was called off', [...failedTwice, { due: 1.5, status: 'void' }], 1],
  [
    'the second of the two was called off',
    [
      { due: 1, status: 'failed' },
      { due: 2, status: 'void' },
    ],
    1,
  ],
])('when %s, the days of grace count from what has been owed since', async (_what, charges, period) => {
  expect(await countedFrom(charges)).toBe(period);
});
