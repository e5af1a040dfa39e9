import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { getDomain, getPublicSuffix } from 'tldts';

type DomainNameResult =
  | { readonly ok: true; readonly domain: string }
  | { readonly ok: false; readonly message: string };

const ACCEPTED = 'Give a domain name alone, such as example.com or shop.example.com.';

/** Maximum length of the input. A longer text is never a valid name. */
const MAX_RAW_LENGTH = 1024;

/** Forbidden contents of the text as typed, with their meaning. The first match is reported. */
const RAW_FAULTS: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [/^$/, 'is empty'],
  [/^[a-z][a-z\d+.-]*:\/\//i, 'has a scheme other than http:// or https://'],
  [/[\s\p{Cc}\p{Cs}]/u, 'has a space or a control character inside'],
  [/\\/, 'has a backslash'],
  [/\?/, 'has a query (?…)'],
  [/#/, 'has a fragment (#…)'],
  [/@/, 'has an @, as user information and e-mail addresses do'],
  [/\//, 'has a path'],
  [/\*/, 'has a wildcard, and each subdomain needs a redirect of its own'],
  [/^\[|\]$|:.*:/, 'is an IPv6 address'],
  [/:/, 'has a port'],
  [/%/, 'is percent-encoded'],
  [/_/, 'has an underscore, which host names may not have'],
  // Beyond ASCII, IDNA decides below.
  [/[^a-z\d.\-\u0080-\u{10ffff}]/iu, 'has a character that host names may not have'],
];

/**
 * Parses the domain of a redirect. Removes a scheme (`http://`, `https://`), one trailing slash and one trailing dot.
 *
 * @returns the name in lower-case ASCII (international names in punycode), or a message that names the fault and what
 * would be accepted
 */
export function parseFromDomain(input: string): DomainNameResult {
  const text = withoutDecoration(input);
  const fault = rawFault(text) ?? nameFault(text);
  if (fault !== null) return { ok: false, message: `The domain ${fault}. ${ACCEPTED}` };
  return { ok: true, domain: toAscii(text) };
}

function withoutDecoration(input: string): string {
  return input
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '');
}

/** Returns the form of a host by the URL standard; empty for an invalid one. IPv4 in any notation becomes dotted. */
function toAscii(text: string): string {
  return domainToASCII(text).replace(/\.$/, '');
}

function rawFault(text: string): string | null {
  if (text.length > MAX_RAW_LENGTH) return 'is longer than 253 characters';
  if (isIPv6(text)) return 'is an IPv6 address';
  return RAW_FAULTS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

function nameFault(text: string): string | null {
  const domain = toAscii(text);
  if (isIPv4(domain)) return 'is an IPv4 address, or a number that stands for one';
  if (/(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(text)) return 'ends in a number, as only IP addresses do';
  if (text !== '.' && domain === '') return 'is not a valid international domain name (IDNA)';
  return lengthFault(domain) ?? hyphenFault(domain) ?? suffixFault(domain);
}

function hyphenFault(domain: string): string | null {
  const isFaulty = /(?:^|\.)-|-(?:\.|$)/.test(domain);
  return isFaulty ? 'has a part that begins or ends with a hyphen' : null;
}

function suffixFault(domain: string): string | null {
  if (domain === 'localhost')
    return 'is localhost itself; a name below it, such as demo.localhost, can be used';
  if (!domain.includes('.')) return 'is a single word without a dot, at most a public suffix';
  // Refuse only suffixes of registries. Suffixes of hosting services (github.io) have an owner who can verify them.
  const isSuffix = getPublicSuffix(domain, { allowPrivateDomains: false }) === domain;
  return isSuffix ? `is a public suffix; names are registered below "${domain}"` : null;
}

/**
 * Checks the lengths that DNS allows (RFC 1035 section 2.3.4): labels of 1 to 63 characters, 253 in all.
 *
 * @param host ASCII host name without trailing dot
 * @returns the fault, as the end of a sentence that begins with the name, or `null`
 */
export function lengthFault(host: string): string | null {
  const labels = host.split('.');
  if (labels.includes('')) return 'has an empty part between, before or after its dots';
  if (labels.some((label) => label.length > 63)) {
    return 'has a part of more than 63 characters between its dots (counted in its ASCII form)';
  }
  return host.length > 253 ? 'is longer than 253 characters (counted in its ASCII form)' : null;
}

const PREFIX = '*.';

/** Returns whether a domain is a wildcard for all names below its zone. */
function isWildcard(domain: string): boolean {
  return domain.startsWith(PREFIX);
}

/** Returns the domain whose DNS holds the proof of a domain: the zone of a wildcard, otherwise the domain itself. */
export function proofDomainOf(domain: string): string {
  return isWildcard(domain) ? domain.slice(PREFIX.length) : domain;
}

/** Parses the domain of a redirect like `parseFromDomain`, and accepts `*.` before it. */
export function parseDomainOrWildcard(input: string): DomainNameResult {
  const text = input.trim().replace(/^https?:\/\//i, '');
  if (!isWildcard(text)) return parseFromDomain(input);
  const parsed = parseFromDomain(text.slice(PREFIX.length));
  if (!parsed.ok) return parsed;
  const domain = PREFIX + parsed.domain;
  const isTooLong = domain.length > MAX_DOMAIN_LENGTH;
  return isTooLong ? { ok: false, message: TOO_LONG } : { ok: true, domain };
}

const MAX_DOMAIN_LENGTH = 253;
const TOO_LONG = `The domain is longer than ${MAX_DOMAIN_LENGTH} characters. Give a shorter one.`;

/** Returns the registrable domain of a domain or wildcard, also below suffixes of hosting services such as github.io. */
export function zoneOf(domain: string): string {
  const name = proofDomainOf(domain);
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

/** Returns the name of the TXT record that proves all hosts of the zone of a domain. */
export function zoneRecordName(domain: string): string {
  return `_waymark.${zoneOf(domain)}`;
}
