import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { readUrl } from '../process/read-url.js';
import { cachedByText } from './text-cache.js';

const MAX_CACHED_REFERRERS = 5_000;
const WWW = 'www.';
/** Maximum characters of a host name (RFC 1035, section 2.3.4, as text). */
export const MAX_HOST_LENGTH = 253;
const WEB_ADDRESS = /^https?:\/\//i;
const EMPTY_LABEL = /^\.|\.\.|^$/;
/** Maximum number of parent domains of a host, counted from the registrable one. Hosts on the web have fewer labels. */
const MAX_PARENTS = 8;
const NONE: readonly string[] = [];

/**
 * Creates a function that finds the registrable domain (public suffix list, `shop.example.co.uk` → `example.co.uk`) of
 * a `Referer` value, lower-case and in punycode. Returns a host without a registrable domain, such as `localhost` or an
 * IP address, unchanged. Returns undefined for anything other than a web address. Never throws, and caches recent
 * referrers.
 */
export function createReferrerDomain(): (referrer: string) => string | undefined {
  const domainOf = cachedByText(parseDomain, MAX_CACHED_REFERRERS);
  return (referrer) => domainOf(referrer) || undefined;
}

/**
 * Creates a function that finds all domains of a `Referer` value that rules can name, as {@link domainsOfHost} returns
 * them. Finds none in anything other than a web address. Never throws, and caches recent referrers.
 */
export function createReferrerDomains(): (referrer: string) => readonly string[] {
  const domainsOf = cachedByText(parseDomains, MAX_CACHED_REFERRERS);
  return (referrer) => (referrer === '' ? NONE : domainsOf(referrer));
}

/**
 * Returns a host without `www.` and the domains above it down to the registrable one, at most the eight nearest:
 * `www.news.example.co.uk` → `news.example.co.uk`, `example.co.uk`. Returns only the host without a registrable
 * domain, and only the registrable domain of a text that is too long for a host name.
 *
 * @param host as {@link hostOf} returns it
 */
export function domainsOfHost(host: string): readonly string[] {
  const registrable = registrableDomain(host);
  if (host.length > MAX_HOST_LENGTH) return [registrable];
  const name = withoutWww(host, registrable);
  if (name === registrable) return [name];
  const domains = [registrable];
  let dot = name.length - registrable.length - 1;
  while (domains.length < MAX_PARENTS) {
    dot = name.lastIndexOf('.', dot - 1);
    if (dot === -1) break;
    domains.push(name.slice(dot + 1));
  }
  domains.push(name);
  return domains.reverse();
}

/**
 * Returns the host of a web address, lower-case and in punycode, without the brackets of IPv6 and a dot at the end;
 * undefined for anything else.
 */
export function hostOf(address: string): string | undefined {
  const url = WEB_ADDRESS.test(address) ? readUrl(address) : undefined;
  if (url === undefined) return undefined;
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  return EMPTY_LABEL.test(host) ? undefined : host;
}

/** Returns the domain, or '' if there is none, because the cache cannot keep undefined. */
function parseDomain(referrer: string): string {
  const host = hostOf(referrer);
  return host === undefined ? '' : registrableDomain(host);
}

function parseDomains(referrer: string): readonly string[] {
  const host = hostOf(referrer);
  return host === undefined ? NONE : domainsOfHost(host);
}

/** Returns the registrable domain, or the host itself if it has none. */
function registrableDomain(host: string): string {
  if (isIP(host) !== 0) return host;
  return getDomain(host, { extractHostname: false }) ?? host;
}

/** Removes all leading `www.`, so applying it again changes nothing. */
function withoutWww(host: string, registrable: string): string {
  let name = host;
  while (name !== registrable && name.startsWith(WWW)) name = name.slice(WWW.length);
  return name;
}
