import { cut } from '../../shared/visitor/cut.js';
import type { HitSlot } from './hit-slot.js';

/** Path, query, destination and referrer, as all limits here in UTF-16 units. */
export const MAX_TEXT_LENGTH = 2_048;
export const MAX_AGENT_LENGTH = 2_048;
/** `Accept-Language`. No browser sends more. */
export const MAX_ACCEPTED_LENGTH = 1_024;
export const MAX_METHOD_LENGTH = 255;
/** Purposes that browsers send are shorter than 30 characters. */
export const MAX_PURPOSE_LENGTH = 255;

/**
 * Cuts the texts of a visitor to the length that is stored, so that the rest of them can be freed. Allocates nothing
 * if no text is longer.
 *
 * @returns the length of these texts in UTF-16 units
 */
export function cutTexts(slot: HitSlot): number {
  slot.path = cut(slot.path, MAX_TEXT_LENGTH);
  slot.query = cut(slot.query, MAX_TEXT_LENGTH);
  slot.location = cut(slot.location, MAX_TEXT_LENGTH);
  slot.referrer = cut(slot.referrer, MAX_TEXT_LENGTH);
  slot.userAgent = cut(slot.userAgent, MAX_AGENT_LENGTH);
  slot.acceptLanguage = wholeRanges(slot.acceptLanguage);
  slot.method = cut(slot.method, MAX_METHOD_LENGTH);
  slot.purpose = cut(slot.purpose, MAX_PURPOSE_LENGTH);
  const ofRequest = slot.path.length + slot.query.length + slot.location.length + slot.referrer.length;
  const ofClient = slot.userAgent.length + slot.acceptLanguage.length + slot.purpose.length;
  return ofRequest + ofClient + slot.method.length;
}

/** The first ranges of an `Accept-Language` that is too long. No range is cut. */
export function wholeRanges(acceptLanguage: string): string {
  if (acceptLanguage.length <= MAX_ACCEPTED_LENGTH) return acceptLanguage;
  const first = cut(acceptLanguage, MAX_ACCEPTED_LENGTH);
  return first.slice(0, Math.max(0, first.lastIndexOf(',')));
}
