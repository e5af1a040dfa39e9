/** `won`: the payment stays. `lost`: the bank has taken the money back. */
export type DisputeState = 'open' | 'won' | 'lost';

/** State of a payment that the card holder disputes at the bank. */
export interface DisputeSnapshot {
  readonly providerDisputeId: string;
  readonly userId: string;
  readonly subscriptionId: string;
  /** The disputed payment. */
  readonly providerTransactionId: string;
  readonly status: DisputeState;
  /** Amount in the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: string;
  /** Reason in the provider's terms: `fraudulent`, `product_not_received`. */
  readonly reason: string;
  readonly openedAt: Date;
}

/** A late report never reverts a decision. A bank can change its decision. */
export const DISPUTE_STEPS: Readonly<Record<DisputeState, number>> = { open: 0, won: 1, lost: 1 };
