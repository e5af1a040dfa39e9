import type { HitBatch, RedirectCounters, RuleCounters } from './hit-batch.js';

/** Everything of a batch but its producer's id and its hits. */
export type HitBatchHeader = Omit<HitBatch, 'producerId' | 'block'>;

const HEADER_MEMBERS = 6;
const COUNTER_MEMBERS = 4;
const MAX_ID_LENGTH = 128;
/** Longer names of variants make a header malformed. UTF-16 units: enough for the 100 characters a name may have. */
export const MAX_VARIANT_LENGTH = 200;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The header in `bytes` (JSON, exactly the members of the type), or undefined. Never throws. */
export function parseHitBatchHeader(bytes: Uint8Array): HitBatchHeader | undefined {
  const header = parseJson(bytes);
  if (!isRecordOf(header, HEADER_MEMBERS)) return undefined;
  const { sequence, firstOrdinal, hitCount, createdAtMs } = header;
  if (!isCount(sequence) || sequence === 0 || !isCount(firstOrdinal) || firstOrdinal === 0) return undefined;
  if (!isCount(hitCount) || !isCount(createdAtMs)) return undefined;
  const counters = parseList(header.counters, parseRedirectCounters);
  const ruleCounters = parseList(header.ruleCounters, parseRuleCounters);
  if (counters === undefined || ruleCounters === undefined) return undefined;
  return { sequence, firstOrdinal, hitCount, createdAtMs, counters, ruleCounters };
}

/** The parsed items; undefined when one of them cannot be parsed, or there is no list. */
function parseList<T>(list: unknown, parse: (item: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const parsed = list.map(parse).filter((item) => item !== undefined);
  return parsed.length === list.length ? parsed : undefined;
}

function parseRedirectCounters(value: unknown): RedirectCounters | undefined {
  if (!isRecordOf(value, COUNTER_MEMBERS)) return undefined;
  const { redirectId, requests, recorded, dropped } = value;
  if (!isId(redirectId) || !isCount(requests) || !isCount(recorded) || !isCount(dropped)) return undefined;
  return { redirectId, requests, recorded, dropped };
}

function parseRuleCounters(value: unknown): RuleCounters | undefined {
  if (!isRecordOf(value, COUNTER_MEMBERS)) return undefined;
  const { redirectId, ruleId, variant, hits } = value;
  if (!isId(redirectId) || !isCount(ruleId) || ruleId === 0) return undefined;
  if (typeof variant !== 'string' || variant.length > MAX_VARIANT_LENGTH || !isCount(hits)) return undefined;
  return { redirectId, ruleId, variant, hits };
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

/** Whether it names a producer or a redirect. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
