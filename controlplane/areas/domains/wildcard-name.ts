import { type DomainNameResult, parseFromDomain } from './domain-name.js';

const PREFIX = '*.';

/** Returns whether a domain stands for all names below its zone. */
export function isWildcard(domain: string): boolean {
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
