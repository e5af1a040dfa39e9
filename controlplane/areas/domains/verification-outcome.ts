import type { LookupFailure } from './txt-lookup.js';

export type NotFoundKind =
  /** A verification record exists with another value. */
  | 'wrongValue'
  /** The domain exists, the record does not. */
  | 'recordMissing'
  | 'domainMissing'
  | LookupFailure;

/** `name` is where the record was found, or the name whose lookup decided. */
export type VerificationResult =
  | { readonly kind: 'verified'; readonly name: string; readonly found: readonly FoundRecord[] }
  | { readonly kind: 'verifiedLocally'; readonly found: readonly FoundRecord[] }
  | {
      readonly kind: NotFoundKind;
      readonly name: string;
      readonly found: readonly FoundRecord[];
      /** Whether DNS answered for every name, so the proof is definitely absent. Default: no. */
      readonly isDefinite?: boolean;
    };

/** Outcome of a verification: the answer of DNS, or a state that makes the answer irrelevant. */
export type VerificationOutcome =
  | VerificationResult
  /** `found` are the current records in DNS; they no longer matter. */
  | { readonly kind: 'alreadyVerified'; readonly found: readonly FoundRecord[] }
  /** DNS may be correct, but activating the redirect would close a loop through the hosts of `path`. */
  | { readonly kind: 'wouldCloseLoop'; readonly path: readonly string[] };

const VERIFIED_KINDS: readonly VerificationOutcome['kind'][] = [
  'verified',
  'verifiedLocally',
  'alreadyVerified',
];

/** Returns whether a redirect is verified after this outcome. */
export function isVerified(outcome: VerificationOutcome): boolean {
  return VERIFIED_KINDS.includes(outcome.kind);
}

/** A found TXT record, safe to show. */
export interface FoundRecord {
  readonly name: string;
  readonly value: string;
}

/** Maximum number of records in an answer. */
export const MAX_RECORDS = 20;
const MAX_VALUE_LENGTH = 255;

/** Returns the intended value: DNS panels often keep quotes or spaces around a value as part of the record. */
export function meantValue(value: string): string {
  return value
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
}

/** Limits a list of records and escapes their content for people. Keeps the order. */
export function showRecords(records: readonly FoundRecord[]): FoundRecord[] {
  return records.slice(0, MAX_RECORDS).map(({ name, value }) => ({ name, value: shownValue(value) }));
}

/**
 * Replaces control and formatting characters by `\DDD` or `\u{…}`, because the owner of a zone can put anything in
 * a record.
 */
function shownValue(value: string): string {
  const start = value.slice(0, MAX_VALUE_LENGTH);
  const escaped = start.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    escapeOf(character.codePointAt(0) ?? 0),
  );
  const isWhole = start === value && escaped.length <= MAX_VALUE_LENGTH;
  return isWhole ? escaped : `${escaped.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}

function escapeOf(codePoint: number): string {
  return codePoint < 256 ? `\\${String(codePoint).padStart(3, '0')}` : `\\u{${codePoint.toString(16)}}`;
}
