/** Whether the charges of the earlier subscription are paid. */
export type KeptStanding = 'paid' | 'owed';

/** Amount paid for the later subscription. */
export type DuplicatePayments = 'none' | 'first' | 'several';

/** `end`: the subscription ends. `refund and end`: its payment is refunded as well. `report`: an operator decides. */
export type DuplicateVerdict = 'end' | 'refund and end' | 'report';

/**
 * Treatment of a second subscription of the same user. The earlier one stays, because the second page sold the same
 * thing again. A refund without a request happens only for a certain double payment: the first payment of the later
 * subscription while the earlier one is paid.
 */
export const DUPLICATE_TABLE: Readonly<
  Record<KeptStanding, Readonly<Record<DuplicatePayments, DuplicateVerdict>>>
> = {
  paid: { none: 'end', first: 'refund and end', several: 'report' },
  owed: { none: 'end', first: 'report', several: 'report' },
};
