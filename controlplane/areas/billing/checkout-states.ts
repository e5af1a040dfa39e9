import type { CheckoutStatus } from './provider.js';
import type { StateTable } from './state-table.js';

/** A payment at the last moment counts, even if the session was reported as expired. */
// biome-ignore format: a table is read by its columns
export const CHECKOUT_TABLE: StateTable<CheckoutStatus> = {
  // reported: open           expired           complete
  open:      { open: 'keep', expired: 'take', complete: 'take' },
  expired:   { open: 'keep', expired: 'keep', complete: 'take' },
  complete:  { open: 'keep', expired: 'keep', complete: 'keep' },
};
