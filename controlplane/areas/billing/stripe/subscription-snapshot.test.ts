import { expect, it } from 'vitest';
import { priceObject, START, subscriptionObject } from './stripe-objects.fixture.js';
import { subscriptionSnapshot } from './subscription-snapshot.js';

const DAY = 24 * 3600;
const END = START + 31 * DAY;
const at = (seconds: number) => new Date(seconds * 1000);

it('reads a subscription that is paid', () => {
  expect(subscriptionSnapshot(subscriptionObject())).toEqual({
    id: 'sub_1',
    userId: 'user-1',
    planId: 'pro',
    state: 'active',
    currentPeriodStart: at(START),
    currentPeriodEnd: at(END),
    cancelAtPeriodEnd: false,
    canceledAt: null,
    trialStart: null,
    trialEnd: null,
    pastDueSince: null,
    endedAt: null,
  });
});

const asked = { canceled_at: START + DAY };
const ended = { status: 'canceled', canceled_at: START + DAY };

it.each([
  ['waits for its first payment', { status: 'incomplete' }, 'incomplete'],
  ['never had it', { status: 'incomplete_expired' }, 'incomplete_expired'],
  ['is on trial', { status: 'trialing' }, 'trialing'],
  ['is owed for', { status: 'past_due' }, 'past_due'],
  ['is not charged for any more', { status: 'unpaid' }, 'past_due'],
  ['is not charged for any more and to end', { status: 'unpaid', cancel_at_period_end: true }, 'past_due'],
  ['waits for a card after its trial', { status: 'paused' }, 'past_due'],
  ['is to end with its period', { cancel_at_period_end: true, ...asked }, 'canceled'],
  ['is to end on the day its period ends', { cancel_at: END, ...asked }, 'canceled'],
  ['is to end in a later period', { cancel_at: END + DAY, ...asked }, 'active'],
  ['is to end with its trial', { status: 'trialing', cancel_at_period_end: true }, 'canceled'],
  ['is owed for and to end', { status: 'past_due', cancel_at_period_end: true }, 'canceled'],
  ['ended with its period', { ...ended, cancel_at_period_end: true, ended_at: END }, 'ended'],
  ['was ended before', { ...ended, ended_at: START + DAY }, 'revoked'],
  ['was to end and was ended before', { ...ended, cancel_at_period_end: true, ended_at: END - 1 }, 'revoked'],
])('knows one that %s', (_what, members, state) => {
  expect(subscriptionSnapshot(subscriptionObject(members))?.state).toBe(state);
});

it.each([
  ['past_due', at(START)],
  ['paused', at(START - DAY)],
  ['unpaid', null],
  ['active', null],
])(
  'counts the days of grace of one that is %s from the charge that was due, if any is tried',
  (status, since) => {
    const members = { status, trial_end: START - DAY };
    expect(subscriptionSnapshot(subscriptionObject(members))?.pastDueSince).toEqual(since);
  },
);

it('reports an ended subscription with its end', () => {
  const members = { ...ended, cancel_at_period_end: true, ended_at: END };
  expect(subscriptionSnapshot(subscriptionObject(members))).toMatchObject({
    cancelAtPeriodEnd: false,
    canceledAt: at(START + DAY),
    endedAt: at(END),
  });
});

it.each([
  [
    'the price says, whatever was subscribed to first',
    { metadata: { waymark_plan: 'business' } },
    'business',
  ],
  ['the lookup key says', { metadata: {}, lookup_key: 'waymark_business' }, 'business'],
  ['an earlier price still says', { metadata: { waymark_plan: 'business' }, lookup_key: null }, 'business'],
  ['was subscribed to, where the price says none', { metadata: {}, lookup_key: null }, 'pro'],
])('is for the plan that %s', (_what, members, planId) => {
  const price = priceObject(members);
  expect(subscriptionSnapshot(subscriptionObject({}, { price }))?.planId).toBe(planId);
});

it.each([
  ['of no user of ours', subscriptionObject({ metadata: {} })],
  [
    'to no plan of ours',
    subscriptionObject(
      { metadata: { waymark_user: 'user-1' } },
      { price: priceObject({ metadata: {}, lookup_key: null }) },
    ),
  ],
])('leaves one alone that is %s', (_what, subscription) => {
  expect(subscriptionSnapshot(subscription)).toBeUndefined();
});

it('refuses an unknown status', () => {
  expect(() => subscriptionSnapshot(subscriptionObject({ status: 'dormant' }))).toThrow('dormant');
});
