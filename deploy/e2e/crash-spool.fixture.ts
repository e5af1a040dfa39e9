import { spoolRecordHeader } from '../../dataplane/hits/spool-record.js';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { hitBlock } from '../../shared/hits/hit-block.fixture.js';
import type { HitRow } from '../../shared/hits/hit-row.js';
import { HOST } from './crash-product.fixture.js';

/** Id of a data plane that has crashed. */
const PRODUCER_ID = 'crashedproducer1';

/** The name of its first segment in the spool. */
export const SEGMENT = `${PRODUCER_ID}.1.spool`;

/** A segment with one batch for each of `hitCounts`, as the data plane wrote it. */
export function spoolSegment(redirectId: string, hitCounts: readonly number[]): Buffer {
  const batches = hitCounts.map((hitCount, index) => hitBatch(redirectId, hitCount, index + 1));
  return Buffer.concat(batches.flatMap((batch) => [spoolRecordHeader(batch), batch]));
}

function hitBatch(redirectId: string, hitCount: number, sequence: number): Uint8Array {
  const timestamp = Date.now();
  const firstOrdinal = sequence * 100;
  const rows = Array.from(
    { length: hitCount },
    (_, index): HitRow => ({
      producer_id: PRODUCER_ID,
      ordinal: firstOrdinal + index,
      redirect_id: redirectId,
      timestamp,
      host: HOST,
      path: '/',
      query: '',
      destination_url: 'https://destination.example',
      status_code: 302,
      method: 'GET',
      sampling_rate: 1,
      user_agent: 'Mozilla/5.0',
      referrer: '',
      language: '',
      ip_address: '127.0.0.0',
      visitor: 0x00112233445566ffn,
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
    }),
  );
  const counters = [{ redirectId, requests: hitCount, recorded: hitCount, dropped: 0 }];
  return encodeHitBatch({
    producerId: PRODUCER_ID,
    sequence,
    firstOrdinal,
    hitCount,
    createdAtMs: Date.now(),
    counters,
    ruleCounters: [],
    block: hitBlock(rows),
  });
}
