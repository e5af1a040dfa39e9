import { isIP } from 'node:net';

const IPV4_MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const IPV4_WITH_PORT = /^([0-9.]+):[0-9]{1,5}$/;
const BRACKETED = /^\[([^\]]+)\](?::[0-9]{1,5})?$/;

/**
 * Returns the canonical form of an address: IPv4 dotted; IPv6 compressed and lower-case, without zone; IPv4-mapped IPv6
 * as IPv4. Returns undefined for anything else.
 */
export function parseAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  return version === 6 ? canonicalIpv6(text) : undefined;
}

/**
 * Returns the address in an entry of `X-Forwarded-For` in the form of `parseAddress`. Some proxies add the port and
 * brackets.
 */
export function parseForwardedAddress(entry: string): string | undefined {
  return parseAddress(entry) ?? parseAddress(bareAddress(entry));
}

function bareAddress(entry: string): string {
  return IPV4_WITH_PORT.exec(entry)?.[1] ?? BRACKETED.exec(entry)?.[1] ?? '';
}

function canonicalIpv6(text: string): string {
  const zone = text.indexOf('%');
  const address = zone === -1 ? text : text.slice(0, zone);
  // The URL parser compresses as in RFC 5952. Remove the brackets again.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = IPV4_MAPPED.exec(canonical);
  if (mapped === null) return canonical;
  const high = Number.parseInt(mapped[1] ?? '', 16);
  const low = Number.parseInt(mapped[2] ?? '', 16);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
