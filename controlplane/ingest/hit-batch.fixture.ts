import type { RedirectCounters, RuleCounters } from '../../shared/hits/hit-batch.js';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { hitBlock } from '../../shared/hits/hit-block.fixture.js';
import type { HitRow } from '../../shared/hits/hit-row.js';

/** Given values of a hit; defaults fill in the rest. */
export interface HitOptions
  extends Partial<Omit<HitRow, 'producer_id' | 'ordinal' | 'timestamp' | 'visitor'>> {
  /** `YYYY-MM-DD hh:mm:ss.SSS`, UTC. */
  readonly timestamp?: string;
  /** The hash as 16 hexadecimal digits. */
  readonly visitor_id?: string;
}

export interface BatchOptions {
  readonly sequence: number;
  readonly hits?: readonly HitOptions[];
  /** Ordinal of the first hit. */
  readonly firstOrdinal?: number;
  readonly counters?: readonly RedirectCounters[];
  readonly ruleCounters?: readonly RuleCounters[];
}

/** A batch as a data plane sends it. */
export function encodedBatch(producerId: string, options: BatchOptions): Uint8Array {
  const { sequence, hits = [], firstOrdinal = 1, counters = [], ruleCounters = [] } = options;
  const rows = hits.map((hit, index) => hitRow(producerId, firstOrdinal + index, hit));
  return encodeHitBatch({
    producerId,
    sequence,
    firstOrdinal,
    hitCount: hits.length,
    createdAtMs: Date.UTC(2026, 0, 31),
    counters,
    ruleCounters,
    block: hitBlock(rows),
  });
}

/** A producer: numbers hits and batches, and counts recorded hits per redirect and rule. */
export interface TestProducer {
  readonly producerId: string;
  /** The next batch with these hits, and the counters of their redirects and rules. */
  batch(hits: readonly HitOptions[]): Uint8Array;
  /** Counts hits of a redirect that are recorded and then lost. */
  drop(redirectId: string, hits: number): void;
}

export function createTestProducer(producerId: string): TestProducer {
  const counters = new Map<string, { requests: number; recorded: number; dropped: number }>();
  const ruleCounters = new Map<
    string,
    { redirectId: string; ruleId: number; variant: string; hits: number; humanHits: number }
  >();
  let sequence = 0;
  let ordinal = 1;
  const ruleCounterOf = (redirectId: string, ruleId: number, variant: string) => {
    const key = `${redirectId} ${ruleId} ${variant}`;
    const counter = ruleCounters.get(key) ?? { redirectId, ruleId, variant, hits: 0, humanHits: 0 };
    ruleCounters.set(key, counter);
    return counter;
  };
  const counterOf = (redirectId: string) => {
    const counter = counters.get(redirectId) ?? { requests: 0, recorded: 0, dropped: 0 };
    counters.set(redirectId, counter);
    return counter;
  };

  return {
    producerId,
    batch(hits) {
      for (const { redirect_id = REDIRECT, rule_id = 0, variant = '', is_bot = 0 } of hits) {
        const counter = counterOf(redirect_id);
        counter.requests += 1;
        counter.recorded += 1;
        if (rule_id === 0) continue;
        const ruleCounter = ruleCounterOf(redirect_id, rule_id, variant);
        ruleCounter.hits += 1;
        if (is_bot === 0) ruleCounter.humanHits += 1;
      }
      sequence += 1;
      const firstOrdinal = ordinal;
      ordinal += hits.length;
      const totals = [...counters].map(([redirectId, counter]) => ({ redirectId, ...counter }));
      return encodedBatch(producerId, {
        sequence,
        hits,
        firstOrdinal,
        counters: totals,
        ruleCounters: [...ruleCounters.values()],
      });
    },
    drop(redirectId, hits) {
      const counter = counterOf(redirectId);
      counter.requests += hits;
      counter.recorded += hits;
      counter.dropped += hits;
      ordinal += hits;
    },
  };
}

/** Default redirect of hits. */
export const REDIRECT = 'rd_1';

/** Returns a hit in the form of a stored row. */
export function hitRow(producerId: string, ordinal: number, options: HitOptions = {}): HitRow {
  const { timestamp = '2026-01-31 12:00:00.000', visitor_id = visitor(1), ...columns } = options;
  return {
    producer_id: producerId,
    ordinal,
    redirect_id: REDIRECT,
    timestamp: Date.parse(`${timestamp.replace(' ', 'T')}Z`),
    host: 'old.example',
    path: '/path',
    query: 'a=1',
    destination_url: 'https://new.example/path',
    status_code: 301,
    method: 'GET',
    sampling_rate: 1,
    user_agent: 'Mozilla/5.0',
    referrer: '',
    language: 'en',
    ip_address: '203.0.113.0',
    visitor: BigInt(`0x${visitor_id}`),
    is_bot: 0,
    bot_reason: '',
    ruleset_version: '1.1',
    rule_id: 0,
    variant: '',
    country: '',
    region: '',
    city: '',
    latitude: 0,
    longitude: 0,
    device_type: '',
    device_brand: '',
    device_model: '',
    browser_name: '',
    browser_version: '',
    os_name: '',
    os_version: '',
    referrer_domain: '',
    referrer_type: 'direct',
    utm_source: '',
    utm_medium: '',
    utm_campaign: '',
    utm_term: '',
    utm_content: '',
    query_names: '',
    retention_days: 0,
    draw: 0,
    query_recording: 'full',
    entry_id: 0,
    requested_host: '',
    ...columns,
  };
}

/** The id of visitor number n. */
export function visitor(n: number): string {
  return n.toString(16).padStart(16, '0');
}
