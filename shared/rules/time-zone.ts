import { cachedByText } from '../visitor/text-cache.js';

/** Excludes offsets such as `+01:00`, which some versions of Intl accept. */
const IANA_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
/** Maximum number of cached names. About 600 names exist. */
const MAX_CACHED_NAMES = 2_000;
const UTC = 'utc';

/** Cached: Intl takes 0.4 ms, and data planes check the conditions of each redirect that they compile. */
const isKnown = cachedByText((name) => (takenByIntl(name) ? 'yes' : 'no'), MAX_CACHED_NAMES);

/** Returns whether this Node version knows `name` as an IANA time zone, in any case. */
export function isTimeZone(name: string): boolean {
  return IANA_NAME.test(name) && isKnown(name) === 'yes';
}

/** Returns the same key for every spelling of a time zone; undefined for UTC, the default. */
export function timeZoneKey(name: string | undefined): string | undefined {
  const key = name?.toLowerCase();
  return key === UTC ? undefined : key;
}

function takenByIntl(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
    return true;
  } catch {
    return false;
  }
}
