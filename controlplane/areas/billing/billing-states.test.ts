import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CHECKOUT_STEPS,
  type Report,
  SUBSCRIPTION_STEPS,
  type SubscriptionState,
  supersedes,
  TRANSACTION_STEPS,
  type TransactionState,
} from './billing-states.js';

/** The steps of a subscription's life, each with its states. */
const SUBSCRIPTION_LIFE: SubscriptionState[][] = [
  ['incomplete'],
  ['trialing', 'active', 'past_due', 'canceled'],
  ['incomplete_expired'],
  ['ended'],
  ['revoked'],
];
const TRANSACTION_LIFE: TransactionState[][] = [
  ['pending'],
  ['failed'],
  ['void'],
  ['succeeded'],
  ['partially_refunded'],
  ['refunded'],
];

/** Whether a report replaces the stored one: however old it is, only if it is newer, or never. */
type Effect = 'take' | 'newer' | 'keep';

/** Each combination of a stored and a reported state, with the expected effect. */
function cells<State extends string>(life: readonly State[][]): [State, State, Effect][] {
  return life.flatMap((known, row) =>
    known.flatMap((from) =>
      life.flatMap((reported, column) =>
        reported.map((to): [State, State, Effect] => [
          from,
          to,
          column > row ? 'take' : column === row ? 'newer' : 'keep',
        ]),
      ),
    ),
  );
}

function effectOf(known: number, reported: number): Effect {
  const report = (step: number, ms: number) => ({
    step,
    occurredAt: new Date(ms),
    progress: [],
    eventId: '',
  });
  if (supersedes(report(known, 1), report(reported, 0))) return 'take';
  return supersedes(report(known, 0), report(reported, 1)) ? 'newer' : 'keep';
}

describe('the steps of subscriptions', () => {
  it.each(cells(SUBSCRIPTION_LIFE))('%s, reported %s: %s', (from, to, effect) => {
    expect(effectOf(SUBSCRIPTION_STEPS[from], SUBSCRIPTION_STEPS[to])).toBe(effect);
  });
});

describe('the steps of transactions', () => {
  it.each(cells(TRANSACTION_LIFE))('%s, reported %s: %s', (from, to, effect) => {
    expect(effectOf(TRANSACTION_STEPS[from], TRANSACTION_STEPS[to])).toBe(effect);
  });
});

describe('the steps of checkout sessions', () => {
  it('let a session expire and, paid at the last moment, be complete for good', () => {
    const inOrder = Object.entries(CHECKOUT_STEPS).sort(([, one], [, other]) => one - other);
    expect(inOrder.map(([status]) => status)).toEqual(['open', 'expired', 'complete']);
    expect(new Set(Object.values(CHECKOUT_STEPS)).size).toBe(3);
  });
});

function anyReports(steps: Readonly<Record<string, number>>) {
  const report = fc.record({
    step: fc.constantFrom(...Object.values(steps)),
    occurredAt: fc.integer({ min: 0, max: 3 }).map((ms) => new Date(ms)),
    progress: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 1 }),
  });
  return fc
    .array(report, { minLength: 1, maxLength: 8 })
    .map((reports) => reports.map((report, index): Report => ({ ...report, eventId: String(index) })))
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

function lastOf(reports: readonly Report[]) {
  return reports.reduce((known, reported) => (supersedes(known, reported) ? reported : known));
}

describe('reports of any states, in any order and repeated', () => {
  it('lead a subscription to the same one', () => {
    fc.assert(
      fc.property(anyReports(SUBSCRIPTION_STEPS), ({ one, other }) => {
        expect(lastOf(other)).toEqual(lastOf(one));
      }),
      { numRuns: 2000 },
    );
  });

  it('lead a transaction to the same one', () => {
    fc.assert(
      fc.property(anyReports(TRANSACTION_STEPS), ({ one, other }) => {
        expect(lastOf(other)).toEqual(lastOf(one));
      }),
      { numRuns: 2000 },
    );
  });
});
