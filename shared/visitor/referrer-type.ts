import { getDomainWithoutSuffix } from 'tldts';
import type { CampaignQuery } from './campaign-query.js';
import {
  EMAIL_MEDIUMS,
  KNOWN_APPS,
  KNOWN_HOSTS,
  KNOWN_SEARCH_NAMES,
  type KnownHostType,
  PAID_MEDIUMS,
} from './referrer-hosts.js';
import { cachedByText } from './text-cache.js';

/** Kind of a visitor's source: `unknown` is a referrer that is not a URL, `website` any other page. */
export type ReferrerType = KnownHostType | 'paid' | 'direct' | 'unknown';

/** The part of a campaign that tells what a visit was. */
export type CampaignMarks = Pick<CampaignQuery, 'medium' | 'hasAdClick'>;

const MAX_CACHED_REFERRERS = 5_000;
const APP = /^android-app:\/\/([^/]+)/i;

/**
 * Makes the function that tells the type of a visit. The campaign goes first, since it says what the link was made
 * for: an ad on a social network is `paid`. It never throws, and remembers the referrers seen last.
 *
 * @returns `typeOf(referrer, referrerDomain, campaign)`; the domain is what `createReferrerDomain` finds, or empty
 */
export function createReferrerType(): (
  referrer: string,
  referrerDomain: string,
  campaign: CampaignMarks,
) => ReferrerType {
  const typeOfWebAddress = cachedByText(webAddressType, MAX_CACHED_REFERRERS);
  return (referrer, referrerDomain, { medium, hasAdClick }) => {
    const marked = medium === '' ? '' : medium.toLowerCase();
    if (hasAdClick || PAID_MEDIUMS.has(marked)) return 'paid';
    if (EMAIL_MEDIUMS.has(marked)) return 'email';
    if (referrer === '') return 'direct';
    if (referrerDomain === '') return appType(referrer);
    return typeOfWebAddress(referrer);
  };
}

function appType(referrer: string): ReferrerType {
  const id = APP.exec(referrer)?.[1];
  return (id !== undefined && KNOWN_APPS.get(id)) || 'unknown';
}

/** @param referrer an address with a host, as its domain has shown */
function webAddressType(referrer: string): ReferrerType {
  const host = URL.canParse(referrer) ? new URL(referrer).hostname.replace(/\.$/, '') : '';
  const known = knownHostType(host);
  if (known !== undefined) return known;
  const name = getDomainWithoutSuffix(host, { extractHostname: false });
  return name !== null && KNOWN_SEARCH_NAMES.has(name) ? 'search' : 'website';
}

/** The type of the host, or else of the nearest domain above it that is known. */
function knownHostType(host: string): KnownHostType | undefined {
  for (let at = 0; at !== -1; at = host.indexOf('.', at + 1)) {
    const type = KNOWN_HOSTS.get(host.slice(at === 0 ? 0 : at + 1));
    if (type !== undefined) return type;
  }
  return undefined;
}
