import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECKOUT_TABLE } from './apply-checkout.js';
import { type Report, type StateTable, supersedes, type Verdict } from './state-table.js';
import { SUBSCRIPTION_TABLE, type SubscriptionState } from './subscription-states.js';
import { TRANSACTION_TABLE, type TransactionState } from './transaction-states.js';

/** The steps of a life, each with its states. */
const SUBSCRIPTION_STEPS: SubscriptionState[][] = [
  ['incomplete'],
  ['trialing', 'active', 'past_due', 'canceled'],
  ['incomplete_expired'],
  ['ended'],
  ['revoked'],
];
const TRANSACTION_STEPS: TransactionState[][] = [
  ['pending'],
  ['failed'],
  ['void'],
  ['succeeded'],
  ['partially_refunded'],
  ['refunded'],
];

/** Each combination of a stored and a reported state, with the expected effect. */
function cells<State extends string>(steps: readonly State[][]): [State, State, Verdict][] {
  return steps.flatMap((known, row) =>
    known.flatMap((from) =>
      steps.flatMap((reported, column) =>
        reported.map((to): [State, State, Verdict] => [
          from,
          to,
          column > row ? 'take' : column === row ? 'newer' : 'keep',
        ]),
      ),
    ),
  );
}

describe('the table of subscriptions', () => {
  it.each(cells(SUBSCRIPTION_STEPS))('%s, reported %s: %s', (from, to, verdict) => {
    expect(SUBSCRIPTION_TABLE[from][to]).toBe(verdict);
  });
});

describe('the table of transactions', () => {
  it.each(cells(TRANSACTION_STEPS))('%s, reported %s: %s', (from, to, verdict) => {
    expect(TRANSACTION_TABLE[from][to]).toBe(verdict);
  });
});

describe('the table of checkout sessions', () => {
  it('lets a session expire and, paid at the last moment, be complete for good', () => {
    const taken = Object.entries(CHECKOUT_TABLE).flatMap(([from, row]) =>
      Object.entries(row)
        .filter(([, verdict]) => verdict === 'take')
        .map(([to]) => `${from} → ${to}`),
    );
    expect(taken).toEqual(['open → expired', 'open → complete', 'expired → complete']);
  });
});

function anyReports<State extends string>(table: StateTable<State>) {
  const report = fc.record({
    state: fc.constantFrom(...(Object.keys(table) as State[])),
    occurredAt: fc.integer({ min: 0, max: 3 }).map((ms) => new Date(ms)),
    progress: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 1 }),
  });
  return fc
    .array(report, { minLength: 1, maxLength: 8 })
    .map((reports) => reports.map((report, index): Report<State> => ({ ...report, eventId: String(index) })))
    .chain((reports) =>
      fc.record({
        one: fc.constant(reports),
        // Reports arrive in another order, each of them repeatedly.
        other: fc
          .tuple(
            fc.shuffledSubarray(reports, { minLength: reports.length }),
            fc.array(fc.constantFrom(...reports), { maxLength: 5 }),
          )
          .chain(([all, again]) => {
            const told = [...all, ...again];
            return fc.shuffledSubarray(told, { minLength: told.length });
          }),
      }),
    );
}

function lastOf<State extends string>(table: StateTable<State>, reports: readonly Report<State>[]) {
  return reports.reduce((known, reported) => (supersedes(table, known, reported) ? reported : known));
}

describe('reports of any states, in whatever order and however often', () => {
  it('lead a subscription to the same one', () => {
    fc.assert(
      fc.property(anyReports(SUBSCRIPTION_TABLE), ({ one, other }) => {
        expect(lastOf(SUBSCRIPTION_TABLE, other)).toEqual(lastOf(SUBSCRIPTION_TABLE, one));
      }),
      { numRuns: 2000 },
    );
  });

  it('lead a transaction to the same one', () => {
    fc.assert(
      fc.property(anyReports(TRANSACTION_TABLE), ({ one, other }) => {
        expect(lastOf(TRANSACTION_TABLE, other)).toEqual(lastOf(TRANSACTION_TABLE, one));
      }),
      { numRuns: 2000 },
    );
  });
});
