import { cut } from '../../shared/visitor/cut.js';
import type { HitSlot } from './hit-slot.js';

/** Maximum length of path, query, destination and referrer, in UTF-16 units like all limits here. */
export const MAX_TEXT_LENGTH = 2_048;
export const MAX_AGENT_LENGTH = 2_048;
/** Maximum length of `Accept-Language`. No browser sends more. */
export const MAX_ACCEPTED_LENGTH = 1_024;
export const MAX_METHOD_LENGTH = 255;
/** Maximum length of a requested host. DNS names have at most 253 characters. */
export const MAX_HOST_LENGTH = 255;
/** Maximum length of a purpose. Those of browsers are shorter than 30 characters. */
export const MAX_PURPOSE_LENGTH = 255;

/**
 * Cuts the texts of a visitor to their stored length, so the rest can be freed. Allocates nothing if no text is longer.
 *
 * @returns the length of these texts in UTF-16 units
 */
export function cutTexts(slot: HitSlot): number {
  const { path, query, location, referrer, userAgent, acceptLanguage, method, purpose, requestedHost } = slot;
  const ofRequest = requestedHost.length + path.length + query.length + location.length + referrer.length;
  const length = ofRequest + userAgent.length + acceptLanguage.length + method.length + purpose.length;
  // The usual case: the sum of all lengths is below most limits, and these two are below theirs.
  const areShort =
    method.length <= MAX_METHOD_LENGTH &&
    purpose.length <= MAX_PURPOSE_LENGTH &&
    requestedHost.length <= MAX_HOST_LENGTH;
  if (areShort && length <= MAX_ACCEPTED_LENGTH) return length;
  slot.requestedHost = cut(requestedHost, MAX_HOST_LENGTH);
  slot.path = cut(path, MAX_TEXT_LENGTH);
  slot.query = cut(query, MAX_TEXT_LENGTH);
  slot.location = cut(location, MAX_TEXT_LENGTH);
  slot.referrer = cut(referrer, MAX_TEXT_LENGTH);
  slot.userAgent = cut(userAgent, MAX_AGENT_LENGTH);
  slot.acceptLanguage = wholeRanges(acceptLanguage);
  slot.method = cut(method, MAX_METHOD_LENGTH);
  slot.purpose = cut(purpose, MAX_PURPOSE_LENGTH);
  const cutOfRequest = slot.path.length + slot.query.length + slot.location.length + slot.referrer.length;
  const cutOfClient = slot.userAgent.length + slot.acceptLanguage.length + slot.purpose.length;
  return cutOfRequest + cutOfClient + slot.method.length + slot.requestedHost.length;
}

/** Returns the first ranges of an `Accept-Language` that is too long. No range is cut. */
export function wholeRanges(acceptLanguage: string): string {
  if (acceptLanguage.length <= MAX_ACCEPTED_LENGTH) return acceptLanguage;
  const first = cut(acceptLanguage, MAX_ACCEPTED_LENGTH);
  return first.slice(0, Math.max(0, first.lastIndexOf(',')));
}
