import { isPublishedPaths } from '../paths/published-paths.js';
import { isObject } from '../rules/is-object.js';
import { isCount } from './count.js';
import {
  isClickIdParam,
  isResponseHeaderValue,
  MAX_APPENDED_PARAMETERS,
  MAX_APPENDED_TEXT_LENGTH,
  MAX_CLICK_ID_PARAM_LENGTH,
  MAX_NAMED_CERTIFICATES,
  MAX_RESPONSE_HEADER_LENGTH,
  RESPONSE_HEADERS,
  type RedirectOptions,
} from './redirect-options.js';

/** Checks one member of a redirect. */
export interface FieldRule {
  readonly holds: (value: unknown) => boolean;
  /** Completes "its FIELD must be …". */
  readonly must: string;
}

/** Last time that a `Date` can hold. */
const MAX_TIME_MS = 8.64e15;
/** Maximum characters of a host name (RFC 1035), without the final dot. */
const MAX_HOST_LENGTH = 253;
const FINGERPRINT = /^[0-9a-f]{64}$/;

const TIME: FieldRule = { holds: isTime, must: 'a time in Unix milliseconds, or absent' };

/** Rules of the members that most redirects do not have. They apply to members that are present. */
export const OPTION_FIELDS: Readonly<Record<keyof RedirectOptions, FieldRule>> = {
  statusCode: { holds: (code) => code === 307 || code === 308, must: '307 or 308, or absent' },
  startsAt: TIME,
  endsAt: TIME,
  afterEnd: { holds: isAfterEnd, must: '{"statusCode":410} or {"url":TEXT}, or absent' },
  notFound: { holds: isNotFound, must: '{"url":TEXT}, or absent' },
  responseHeaders: {
    holds: (headers) => isTextMap(headers, isResponseHeader, RESPONSE_HEADERS.length),
    must: `an object with values of up to ${MAX_RESPONSE_HEADER_LENGTH} ASCII characters for ${RESPONSE_HEADERS.join(', ')}, or absent`,
  },
  appendQuery: {
    holds: (query) => isTextMap(query, isAppendedParameter, MAX_APPENDED_PARAMETERS),
    must: `an object of up to ${MAX_APPENDED_PARAMETERS} texts of up to ${MAX_APPENDED_TEXT_LENGTH} characters, or absent`,
  },
  clickIdParam: {
    holds: isClickIdParam,
    must: `1 to ${MAX_CLICK_ID_PARAM_LENGTH} letters, digits or _ . ~ -, or absent`,
  },
  gone: { holds: (gone) => gone === true, must: 'true, or absent' },
  httpsMode: { holds: (mode) => mode === 'upgrade' || mode === 'off', must: '"upgrade" or "off", or absent' },
  hsts: { holds: isHsts, must: 'an object with maxAge, includeSubDomains and preload, or absent' },
  certificate: {
    holds: isCertificateReference,
    must: 'an object with fingerprint (hexadecimal SHA-256) and notAfter (Unix milliseconds), or absent',
  },
  namedCertificates: {
    holds: areNamedCertificates,
    must: `an object of up to ${MAX_NAMED_CERTIFICATES} certificates by host, or absent`,
  },
  paths: { holds: isPublishedPaths, must: 'the head of a table of paths, or absent' },
};

/** Names of the members in `RedirectOptions`. */
export const OPTION_NAMES = Object.keys(OPTION_FIELDS) as readonly (keyof RedirectOptions)[];

/**
 * Returns whether a redirect has a member of `RedirectOptions`. Not a loop, because it runs for each redirect of a
 * ruleset.
 */
export function hasOptions(redirect: RedirectOptions): boolean {
  return (
    redirect.statusCode !== undefined ||
    redirect.startsAt !== undefined ||
    redirect.endsAt !== undefined ||
    redirect.afterEnd !== undefined ||
    redirect.notFound !== undefined ||
    redirect.responseHeaders !== undefined ||
    redirect.appendQuery !== undefined ||
    redirect.clickIdParam !== undefined ||
    redirect.gone !== undefined ||
    redirect.httpsMode !== undefined ||
    redirect.hsts !== undefined ||
    redirect.certificate !== undefined ||
    redirect.namedCertificates !== undefined ||
    redirect.paths !== undefined
  );
}

function isTime(value: unknown): boolean {
  return isCount(value) && value <= MAX_TIME_MS;
}

function isAfterEnd(value: unknown): boolean {
  if (!isObject(value)) return false;
  return value.url === undefined ? value.statusCode === 410 : typeof value.url === 'string';
}

function isNotFound(value: unknown): boolean {
  return isObject(value) && typeof value.url === 'string';
}

function isTextMap(
  value: unknown,
  isMember: (name: string, text: unknown) => boolean,
  maxMembers: number,
): boolean {
  if (!isObject(value)) return false;
  const members = Object.entries(value);
  return members.length <= maxMembers && members.every(([name, text]) => isMember(name, text));
}

function isResponseHeader(name: string, text: unknown): boolean {
  return RESPONSE_HEADERS.some((known) => known === name) && isResponseHeaderValue(text);
}

function isAppendedParameter(name: string, text: unknown): boolean {
  const isBounded = (one: string) => one.length <= MAX_APPENDED_TEXT_LENGTH;
  return name !== '' && isBounded(name) && typeof text === 'string' && isBounded(text);
}

function isHsts(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { maxAge, includeSubDomains, preload } = value;
  return isCount(maxAge) && typeof includeSubDomains === 'boolean' && typeof preload === 'boolean';
}

function areNamedCertificates(value: unknown): boolean {
  if (!isObject(value)) return false;
  const members = Object.entries(value);
  const isNamed = ([name, certificate]: [string, unknown]) =>
    name.length <= MAX_HOST_LENGTH && isCertificateReference(certificate);
  return members.length <= MAX_NAMED_CERTIFICATES && members.every(isNamed);
}

function isCertificateReference(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { fingerprint, notAfter } = value;
  return typeof fingerprint === 'string' && FINGERPRINT.test(fingerprint) && isTime(notAfter);
}
