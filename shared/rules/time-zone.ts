import { cachedByText } from '../visitor/text-cache.js';

/** Offsets such as `+01:00`, which some versions of Intl take, are no IANA names. */
const IANA_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
/** There are some 600 names. */
const MAX_CACHED_NAMES = 2_000;
const UTC = 'utc';

/** Asking Intl takes 0.4 ms, and data planes ask for each redirect that they compile. */
const isKnown = cachedByText((name) => (takenByIntl(name) ? 'yes' : 'no'), MAX_CACHED_NAMES);

/** Whether `name` is an IANA time zone, in any case, that this process has data of. */
export function isTimeZone(name: string): boolean {
  return IANA_NAME.test(name) && isKnown(name) === 'yes';
}

/** The same text for every spelling of a time zone; undefined for UTC, which is also the default. */
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
