import type { HitBatch, RedirectCounters } from './hit-batch.js';

/** Everything of a batch but its rows. */
export type HitBatchHeader = Omit<HitBatch, 'rows'>;

const HEADER_MEMBERS = 5;
const COUNTER_MEMBERS = 4;
const MAX_ID_LENGTH = 128;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The header in `bytes` (JSON, exactly the members of the type), or undefined. Never throws. */
export function parseHitBatchHeader(bytes: Uint8Array): HitBatchHeader | undefined {
  const header = parseJson(bytes);
  if (!isRecordOf(header, HEADER_MEMBERS)) return undefined;
  const { producerId, sequence, hitCount, createdAtMs } = header;
  if (!isId(producerId) || !isCount(sequence) || sequence === 0) return undefined;
  if (!isCount(hitCount) || !isCount(createdAtMs) || !Array.isArray(header.counters)) return undefined;
  const given: readonly unknown[] = header.counters;
  const counters = given.map(parseCounters).filter((parsed) => parsed !== undefined);
  if (counters.length < given.length) return undefined;
  return { producerId, sequence, hitCount, createdAtMs, counters };
}

function parseCounters(value: unknown): RedirectCounters | undefined {
  if (!isRecordOf(value, COUNTER_MEMBERS)) return undefined;
  const { redirectId, requests, recorded, dropped } = value;
  if (!isId(redirectId) || !isCount(requests) || !isCount(recorded) || !isCount(dropped)) return undefined;
  return { redirectId, requests, recorded, dropped };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

function isRecordOf(value: unknown, members: number): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.keys(value).length === members;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
