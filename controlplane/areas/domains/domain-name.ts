import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { lengthFault } from './host-labels.js';

export type DomainNameResult =
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
  // Only suffixes of registries: those of hosting services (github.io) have an owner who can verify them.
  const isSuffix = getPublicSuffix(domain, { allowPrivateDomains: false }) === domain;
  return isSuffix ? `is a public suffix; names are registered below "${domain}"` : null;
}
