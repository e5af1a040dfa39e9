import { expect, it } from 'vitest';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { createHitLedger } from './hit-ledger.js';

function batch(sequence: number, rows: number, requests: number): Uint8Array {
  return encodeHitBatch({
    producerId: 'bench0bench0',
    sequence,
    firstOrdinal: 1,
    hitCount: rows,
    createdAtMs: 0,
    counters: [{ redirectId: 'r', requests, recorded: rows, dropped: 0 }],
    ruleCounters: [],
    block: Buffer.from('hits'),
  });
}

it('a ledger adds up rows and keeps the last counters of each redirect', () => {
  const ledger = createHitLedger();
  ledger.take(batch(1, 2, 5));
  ledger.take(batch(2, 3, 9));
  expect(ledger.account()).toEqual({ answered: 9, recorded: 3, delivered: 5, dropped: 0, spooled: 0 });
});

it('a ledger counts a repeated batch once', () => {
  const ledger = createHitLedger();
  ledger.take(batch(1, 2, 5));
  ledger.take(batch(1, 2, 5));
  expect(ledger.account().delivered).toBe(2);
});

it('a ledger refuses what is no batch', () => {
  expect(createHitLedger().take(new Uint8Array(100))).toBe('not a batch of hits');
});
