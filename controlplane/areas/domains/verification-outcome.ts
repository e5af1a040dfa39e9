import type { FoundRecord } from './found-records.js';
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
      /** Whether DNS answered for every name, so that the proof is absent for certain. Default: no. */
      readonly isDefinite?: boolean;
    };

/** Outcome of a verification: the answer of DNS, or a state that makes the answer irrelevant. */
export type VerificationOutcome =
  | VerificationResult
  /** `found` are the current records in DNS; they no longer matter. */
  | { readonly kind: 'alreadyVerified'; readonly found: readonly FoundRecord[] }
  /** DNS may be right, but activating the redirect would close a loop through the hosts of `path`. */
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
