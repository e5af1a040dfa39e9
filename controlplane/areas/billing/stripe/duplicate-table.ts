/** Whether what is charged for the earlier subscription is paid. */
export type KeptStanding = 'paid' | 'owed';

/** Amount paid for the later subscription. */
export type DuplicatePayments = 'none' | 'first' | 'several';

/** `end`: it is ended. `refund and end`: its payment is given back as well. `report`: people decide. */
export type DuplicateVerdict = 'end' | 'refund and end' | 'report';

/**
 * What becomes of a subscription that goes on beside an earlier one of the same user. The earlier one stays: what
 * was paid on a second page was paid for the same thing again. Money is given back unasked only where it is plain
 * that it was taken twice: the first payment of a later subscription, beside an earlier one that is paid.
 */
export const DUPLICATE_TABLE: Readonly<
  Record<KeptStanding, Readonly<Record<DuplicatePayments, DuplicateVerdict>>>
> = {
  paid: { none: 'end', first: 'refund and end', several: 'report' },
  owed: { none: 'end', first: 'report', several: 'report' },
};
