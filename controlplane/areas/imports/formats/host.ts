import { domainToASCII } from 'node:url';

const NAME =
  /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_LENGTH = 253;

/** Returns a host name in the form that redirects use; undefined for other texts. */
export function hostName(text: string): string | undefined {
  const isWildcard = text.startsWith('*.');
  const name = (isWildcard ? text.slice(2) : text).replace(/\.$/, '');
  const ascii = domainToASCII(name).toLowerCase();
  const host = isWildcard && ascii !== '' ? `*.${ascii}` : ascii;
  return host.length <= MAX_LENGTH && NAME.test(host) ? host : undefined;
}

/** Address with or without a scheme, split into its parts. */
export interface Address {
  readonly scheme: 'http' | 'https' | null;
  readonly host: string;
  readonly hasPort: boolean;
  /** Path with its first slash. */
  readonly path: string;
  /** Query without its `?`; undefined without one. */
  readonly query: string | undefined;
}

const ADDRESS = /^(?:(https?):\/\/)?([^/?#:@\s]+)(:[0-9]+)?(\/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$/i;

/** Splits `https://host:port/path?query`. Only the host is required. */
export function readAddress(text: string): Address | undefined {
  const found = ADDRESS.exec(text);
  const host = found?.[2] === undefined ? undefined : hostName(found[2]);
  if (found === null || host === undefined) return undefined;
  return {
    scheme: (found[1]?.toLowerCase() as 'http' | 'https' | undefined) ?? null,
    host,
    hasPort: found[3] !== undefined,
    path: found[4] ?? '/',
    query: found[5],
  };
}

/** Returns whether browsers read a text as an absolute URL. */
export function isAbsoluteUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
