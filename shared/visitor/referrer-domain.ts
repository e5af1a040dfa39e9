import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { cachedByText } from './text-cache.js';

const MAX_CACHED_REFERRERS = 5_000;
const WEB_ADDRESS = /^https?:\/\//i;
const EMPTY_LABEL = /^\.|\.\.|^$/;

/**
 * Makes the function that finds the registrable domain (public suffix list, `shop.example.co.uk` →
 * `example.co.uk`) of a `Referer` value, lower-case and in punycode. A host without one, such as `localhost` or
 * an IP address, is given itself; undefined for what is no web address. It never throws, and remembers the
 * referrers seen last.
 */
export function createReferrerDomain(): (referrer: string) => string | undefined {
  const domainOf = cachedByText(parseDomain, MAX_CACHED_REFERRERS);
  return (referrer) => domainOf(referrer) || undefined;
}

/**
 * The host of a web address, lower-case and in punycode, without the brackets of IPv6 and a dot at the end;
 * undefined for what is no web address.
 */
export function hostOf(address: string): string | undefined {
  if (!WEB_ADDRESS.test(address) || !URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.replace(/^\[|\]$|\.$/g, '');
  return EMPTY_LABEL.test(host) ? undefined : host;
}

/** Empty for none, which the cache can keep. */
function parseDomain(referrer: string): string {
  const host = hostOf(referrer);
  if (host === undefined) return '';
  if (isIP(host) !== 0) return host;
  return getDomain(host, { extractHostname: false }) ?? host;
}
