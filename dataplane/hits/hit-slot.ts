import type { QueryRecording } from '../../shared/ruleset/redirect-definition.js';
import type { RedirectTally } from './hit-counters.js';

/**
 * One recorded hit in memory, filled in by the request handler. Slots are reused, so that recording allocates nothing. Do
 * not keep a reference beyond the turn of the event loop in which the slot was claimed.
 */
export interface HitSlot {
  /** The redirect's tally. `claim` sets it and the next three members. */
  tally: RedirectTally;
  redirectId: string;
  samplingRate: number;
  /** Unix time in milliseconds. */
  timestampMs: number;
  /** The host that matched, normalised. */
  host: string;
  /** The request's path and query as received; a missing query is empty. */
  path: string;
  query: string;
  statusCode: number;
  /** The `Location` of the answer, also if it was not sent. */
  location: string;
  method: string;
  userAgent: string;
  referrer: string;
  /** `Accept-Language` as received. */
  acceptLanguage: string;
  /** `Sec-Purpose`, `Purpose` or `X-Moz`: marks prefetches. */
  purpose: string;
  /** The visitor's full address. It never leaves the process: see shared/visitor/visitor-identity.ts. */
  address: string;
  /** `epoch.seq` of the ruleset that answered. */
  rulesetVersion: string;
  /** The rule that decided; 0 when none did. */
  ruleId: number;
  /** The variant of an A/B test; empty without. */
  variant: string;
  /** Days until the hit is deleted; 0 keeps it for ever. */
  retentionDays: number;
  /** Masking of `query`, `location` and `referrer` in the record. The slot holds them as sent. */
  queryRecording: QueryRecording;
  /** Number that the deciding rule drew; 0 without a draw. */
  draw: number;
  /**
   * Entry of the table of paths that gave the answer beside a rule; `NO_ENTRY` if none did, 0 if the table was not
   * used.
   */
  entryId: number;
  /** Normalised host of a request to a wildcard; empty for other redirects. */
  requestedHost: string;
}

/** An empty slot. */
export function createHitSlot(): HitSlot {
  return {
    tally: 0,
    redirectId: '',
    samplingRate: 0,
    timestampMs: 0,
    host: '',
    path: '',
    query: '',
    statusCode: 0,
    location: '',
    method: '',
    userAgent: '',
    referrer: '',
    acceptLanguage: '',
    purpose: '',
    address: '',
    rulesetVersion: '',
    ruleId: 0,
    variant: '',
    retentionDays: 0,
    queryRecording: 'full',
    draw: 0,
    entryId: 0,
    requestedHost: '',
  };
}

/** Empties a slot. It then keeps no strings in memory and has no data of an earlier visitor. */
export function clearHitSlot(slot: HitSlot): void {
  slot.tally = 0;
  slot.redirectId = '';
  slot.samplingRate = 0;
  slot.timestampMs = 0;
  slot.host = '';
  slot.path = '';
  slot.query = '';
  slot.statusCode = 0;
  slot.location = '';
  slot.method = '';
  slot.userAgent = '';
  slot.referrer = '';
  slot.acceptLanguage = '';
  slot.purpose = '';
  slot.address = '';
  slot.rulesetVersion = '';
  slot.ruleId = 0;
  slot.variant = '';
  slot.retentionDays = 0;
  slot.queryRecording = 'full';
  slot.draw = 0;
  slot.entryId = 0;
  slot.requestedHost = '';
}
