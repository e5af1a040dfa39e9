import { getDomain } from 'tldts';
import { proofDomainOf } from './wildcard-name.js';

/** Returns the registrable domain of a domain or wildcard, also below suffixes of hosting services such as github.io. */
export function zoneOf(domain: string): string {
  const name = proofDomainOf(domain);
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

/** Returns the name of the TXT record that proves all hosts of the zone of a domain. */
export function zoneRecordName(domain: string): string {
  return `_waymark.${zoneOf(domain)}`;
}
