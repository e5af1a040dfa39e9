import type { RedirectCounters } from '../../shared/hits/hit-batch.js';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import type { HitAccount } from './server-kind.js';

/** Counts hits as a store would keep them: each batch once, however often it is sent. */
export interface HitLedger {
  /** Takes a batch; why it cannot be read, `undefined` when it can. */
  take(encoded: Uint8Array): string | undefined;
  /** Returns the totals of all batches so far. */
  account(): HitAccount;
}

/** A ledger for the hits of one run of one data plane. */
export function createHitLedger(): HitLedger {
  const sequences = new Set<number>();
  const counters = new Map<string, RedirectCounters>();
  let delivered = 0;

  return {
    take(encoded) {
      const decoded = decodeHitBatch(encoded);
      if (!decoded.ok) return decoded.reason;
      const { batch } = decoded;
      if (sequences.has(batch.sequence)) return undefined;
      sequences.add(batch.sequence);
      delivered += batch.hitCount;
      for (const counter of batch.counters) counters.set(counter.redirectId, counter);
      return undefined;
    },

    account() {
      const totals = { answered: 0, recorded: 0, delivered, dropped: 0, spooled: 0 };
      for (const { requests, recorded, dropped } of counters.values()) {
        totals.answered += requests;
        totals.recorded += recorded;
        totals.dropped += dropped;
      }
      return totals;
    },
  };
}
