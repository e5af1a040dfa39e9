import type { PublishedPaths } from '../paths/published-paths.js';

/**
 * Optional members of a redirect that few redirects have. A redirect with any of them is not plain: see
 * `isPlainRedirect`. All are validated before publication.
 */
export interface RedirectOptions {
  /** HTTP status that keeps the request method: 307 of a temporary redirect, 308 of a permanent one. */
  readonly statusCode?: 307 | 308;
  /** Visitors get 404 before this time. Unix milliseconds. */
  readonly startsAt?: number;
  /** Visitors get `afterEnd` from this time on. Unix milliseconds. */
  readonly endsAt?: number;
  /** Answer after `endsAt`. Absent for 404. */
  readonly afterEnd?: AfterEnd;
  /** Destination for requests that match nothing in the path table, if the table answers them with 404. */
  readonly notFound?: NotFound;
  /** Headers of the owner, by a name of `RESPONSE_HEADERS`. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Query parameters, added when the request has no parameter of that name. Decoded texts. */
  readonly appendQuery?: Readonly<Record<string, string>>;
  /** Name of a query parameter that gets an id of each visit: see `isClickIdParam`. */
  readonly clickIdParam?: string;
  /** Visitors get 410: the redirect was taken down, or its owner is suspended. */
  readonly gone?: true;
  /** `upgrade` redirects plain HTTP to HTTPS. `off` does not serve HTTPS. Absent: both are served. */
  readonly httpsMode?: 'upgrade' | 'off';
  /** Strict-Transport-Security of answers over HTTPS. */
  readonly hsts?: Hsts;
  /** Certificate of the host. */
  readonly certificate?: CertificateReference;
  /** Certificates of single names below a wildcard host, by name. */
  readonly namedCertificates?: Readonly<Record<string, CertificateReference>>;
  /** Table of paths, which decides after the rules. */
  readonly paths?: PublishedPaths;
}

/** Answer of an ended redirect: 410, or a redirect to another URL. */
export type AfterEnd = { readonly statusCode: 410 } | { readonly url: string };

/** Answer to requests that nothing matches: a redirect to another URL. */
export interface NotFound {
  readonly url: string;
}

/** Directives of Strict-Transport-Security (RFC 6797). */
export interface Hsts {
  /** Seconds. */
  readonly maxAge: number;
  readonly includeSubDomains: boolean;
  readonly preload: boolean;
}

/** Names a certificate. Data planes fetch the certificate itself from the control plane. */
export interface CertificateReference {
  /** Hexadecimal SHA-256 of the leaf certificate (DER), in lower case. */
  readonly fingerprint: string;
  /** End of validity. Unix milliseconds. */
  readonly notAfter: number;
}

/** Headers that an owner may set. Others could change the framing or the meaning of the answer. */
export const RESPONSE_HEADERS = [
  'Cache-Control',
  'Strict-Transport-Security',
  'X-Robots-Tag',
  'Referrer-Policy',
] as const;

/** Maximum number of names below a wildcard host with separate certificates. */
export const MAX_NAMED_CERTIFICATES = 500;

/** Maximum length of the value of a response header. */
export const MAX_RESPONSE_HEADER_LENGTH = 500;
/** Maximum number of query parameters to append. */
export const MAX_APPENDED_PARAMETERS = 20;
/** Maximum length of the name and of the value of a parameter to append. */
export const MAX_APPENDED_TEXT_LENGTH = 500;

/** Maximum length of the name of the parameter for click ids. */
export const MAX_CLICK_ID_PARAM_LENGTH = 64;
/** Names that need no escapes in a query: the unreserved characters of RFC 3986. */
export const CLICK_ID_PARAM = `^[A-Za-z0-9_.~-]{1,${MAX_CLICK_ID_PARAM_LENGTH}}$`;
const CLICK_ID_PARAM_PATTERN = new RegExp(CLICK_ID_PARAM);

/** Characters that a header value may have. A line end would start another header. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Returns whether a text is a valid value for a header of `RESPONSE_HEADERS`. */
export function isResponseHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_RESPONSE_HEADER_LENGTH && HEADER_VALUE.test(value);
}

/** Returns whether a text may be the name of the parameter for click ids. */
export function isClickIdParam(value: unknown): value is string {
  return typeof value === 'string' && CLICK_ID_PARAM_PATTERN.test(value);
}
