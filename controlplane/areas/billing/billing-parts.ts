import type { Queryable } from '../../storage/postgres/database.js';
import type { CountEvents, PlanParts } from '../plans/public.js';
import type { emit } from '../webhooks/public.js';
import type { EventOutcome } from './billing-event-repository.js';
import type { BillingEvent, BillingProvider } from './provider.js';

/** Parts that billing is built from, with any provider. */
export interface BillingParts extends Omit<PlanParts, 'store' | 'metrics' | 'mails'> {
  readonly provider: BillingProvider;
  readonly events: BillingEvents;
  readonly emit: typeof emit;
  readonly countEvents: CountEvents;
  readonly dashboardUrl: string | undefined;
  /** Origins that a checkout may return users to, in addition to the dashboard's. `*` is not an origin. */
  readonly corsOrigins: readonly string[];
}

/** Parts that come from outside the area. */
export type BillingDeps = Omit<BillingParts, 'provider' | 'events'>;

/**
 * The only way to change subscriptions, transactions and checkout sessions. Commands, webhooks, the sandbox and
 * reconciliation all use it.
 */
export interface BillingEvents {
  /**
   * Applies events in the given order, each in a separate transaction with its announcements and the changes for data
   * planes. Each event counts once. Events may arrive in any order and repeatedly; none reverts a state. See
   * {@link supersedes}.
   *
   * @returns the outcome of each
   */
  apply(...events: readonly BillingEvent[]): Promise<readonly AppliedAs[]>;
  /**
   * Applies the events that `decide` returns in one transaction, or none if it throws. Locks the user's subscriptions,
   * so the second of two concurrent decisions sees the result of the first.
   *
   * @param decide may read with `tx`
   * @returns the outcome of each event
   */
  applyDecision(
    userId: string,
    decide: (tx: Queryable) => Promise<readonly BillingEvent[]>,
  ): Promise<readonly AppliedAs[]>;
}

/** Outcome of an event; `duplicate` if it was reported before. */
export type AppliedAs = EventOutcome | 'duplicate';
