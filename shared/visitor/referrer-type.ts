import { getDomainWithoutSuffix } from 'tldts';
import { readUrl } from '../process/read-url.js';
import { KNOWN_APPS, KNOWN_HOSTS, KNOWN_SEARCH_NAMES, type KnownHostType } from './referrer-hosts.js';
import { cachedByText } from './text-cache.js';

/** Kind of a referrer: `unknown` is one that is not a URL, `website` any other page. */
export type ReferrerType = KnownHostType | 'direct' | 'unknown';

const MAX_CACHED_REFERRERS = 5_000;
const APP = /^android-app:\/\/([^/]+)/i;

/**
 * Creates a function that classifies a `Referer` value. Never throws, and caches recent referrers.
 *
 * @returns `typeOf(referrer, referrerDomain)`; the domain is the result of `createReferrerDomain`, or empty
 */
export function createReferrerType(): (referrer: string, referrerDomain: string) => ReferrerType {
  const typeOfWebAddress = cachedByText(webAddressType, MAX_CACHED_REFERRERS);
  return (referrer, referrerDomain) => {
    if (referrer === '') return 'direct';
    if (referrerDomain === '') return appType(referrer);
    return typeOfWebAddress(referrer);
  };
}

function appType(referrer: string): ReferrerType {
  const id = APP.exec(referrer)?.[1];
  return (id !== undefined && KNOWN_APPS.get(id)) || 'unknown';
}

/** Returns the type of a web address. @param referrer an address that has a host */
function webAddressType(referrer: string): ReferrerType {
  const host = readUrl(referrer)?.hostname.replace(/\.$/, '') ?? '';
  const known = knownHostType(host);
  if (known !== undefined) return known;
  const name = getDomainWithoutSuffix(host, { extractHostname: false });
  return name !== null && KNOWN_SEARCH_NAMES.has(name) ? 'search' : 'website';
}

/** Returns the type of the host, or else of its nearest known parent domain. */
function knownHostType(host: string): KnownHostType | undefined {
  for (let at = 0; at !== -1; at = host.indexOf('.', at + 1)) {
    const type = KNOWN_HOSTS.get(host.slice(at === 0 ? 0 : at + 1));
    if (type !== undefined) return type;
  }
  return undefined;
}
