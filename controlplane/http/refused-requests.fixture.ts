import type { ErrorCode } from '../errors/error-codes.js';
import type { CallOptions } from './api.fixture.js';

/** A request that must be refused: by default a POST to `/example/items`. */
export interface RefusedRequest {
  readonly what: string;
  readonly method: string;
  readonly url: string;
  readonly options: CallOptions;
  readonly code: ErrorCode;
  readonly field: string | undefined;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** Case, raw body, content type. */
const malformedBodies: readonly [string, string | Buffer | undefined, string?][] = [
  ['malformed JSON', '{"name":'],
  ['text behind the JSON', '{"name":"a"}{}'],
  ['a body of blanks', '  '],
  ['no body where one is needed', undefined],
  ['an empty body where one is needed', ''],
  ['an array', '[{"name":"a"}]'],
  ['a string', '"text"'],
  ['null', 'null'],
  ['__proto__', '{"name":"a","__proto__":{"admin":true}}'],
  ['__proto__ in disguise', '{"name":"a","\\u005f_proto__":{"x":1}}'],
  ['constructor.prototype', '{"constructor":{"prototype":{"x":1}}}'],
  ['bytes that are no UTF-8', Buffer.from('{"name":"\xff"}', 'latin1')],
  ['nesting without end', nested(100_000)],
  ['a form', 'name=a', 'application/x-www-form-urlencoded'],
  ['plain text', '{"name":"a"}', 'text/plain'],
  ['a content type that is none', '{"name":"a"}', 'json'],
  ['a content type that only begins like JSON', '{"name":"a"}', 'application/jsonp'],
  ['a body without a content type', '{"name":"a"}', ''],
];

/** Case, body, field that the error names. */
const invalidBodies: readonly [string, object, string][] = [
  ['a missing member', {}, 'name'],
  ['an unknown member', { name: 'a', nmae: 'b' }, 'nmae'],
  ['a string for a number', { name: 'a', count: '5' }, 'count'],
  ['a number out of range', { name: 'a', count: 11 }, 'count'],
  ['null for a string', { name: null }, 'name'],
  ['a string of blanks', { name: ' \t\n ' }, 'name'],
  ['a wrong member of an array', { name: 'a', parts: [{ weight: 1 }, { weight: 'x' }] }, 'parts.1.weight'],
  ['an unpaired surrogate', { name: 'a', parts: [{ weight: '\ud800' }] }, 'parts.0.weight'],
  ['U+0000', { name: 'a', parts: [{ weight: '\0' }] }, 'parts.0.weight'],
];

/** Case, method, URL, code, field that the error names. */
const addresses: readonly [string, string, string, ErrorCode, string?][] = [
  ['page 0', 'GET', '/example/items?page=0', 'INVALID_REQUEST', 'page'],
  ['a page in hexadecimal digits', 'GET', '/example/items?page=0x10', 'INVALID_REQUEST', 'page'],
  ['a page with an exponent', 'GET', '/example/items?page=1e2', 'INVALID_REQUEST', 'page'],
  ['a page with a sign', 'GET', '/example/items?page=%2B5', 'INVALID_REQUEST', 'page'],
  ['a page below zero', 'GET', '/example/items?page=-1', 'INVALID_REQUEST', 'page'],
  ['a page with a point', 'GET', '/example/items?page=1.0', 'INVALID_REQUEST', 'page'],
  ['a page of other digits', 'GET', '/example/items?page=%D9%A3', 'INVALID_REQUEST', 'page'],
  ['an empty page', 'GET', '/example/items?page=', 'INVALID_REQUEST', 'page'],
  ['a page too large to be exact', 'GET', `/example/items?page=${'9'.repeat(20)}`, 'INVALID_REQUEST', 'page'],
  ['a page in words', 'GET', '/example/items?page=first', 'INVALID_REQUEST', 'page'],
  ['a page twice', 'GET', '/example/items?page=1&page=2', 'INVALID_REQUEST', 'page'],
  ['an unknown word in the query', 'GET', '/example/items?interval=year', 'INVALID_REQUEST', 'interval'],
  ['U+0000 in the query', 'GET', '/example/items?interval=%00', 'INVALID_REQUEST', 'interval'],
  ['a path that cannot be decoded', 'GET', '/auth/%zz', 'INVALID_REQUEST'],
  ['a path of 2,000 characters', 'DELETE', `/auth/tokens/${'x'.repeat(2000)}`, 'INVALID_REQUEST'],
  ['an unknown path', 'GET', '/nothing/here?a=b', 'NOT_FOUND'],
  ['a known path by another method', 'PUT', '/example/items', 'METHOD_NOT_ALLOWED'],
  ['a method that nobody uses', 'PROPFIND', '/example/items', 'METHOD_NOT_ALLOWED'],
];

const byDefault = { method: 'POST', url: '/example/items', options: {}, field: undefined } as const;

export const REFUSED_REQUESTS: readonly RefusedRequest[] = [
  ...malformedBodies.map(([what, body, type = 'application/json']) => ({
    ...byDefault,
    what,
    options: body === undefined ? {} : { body, ...(type !== '' && { headers: { 'content-type': type } }) },
    code: 'INVALID_REQUEST' as const,
  })),
  {
    ...byDefault,
    what: 'an array where no body is needed',
    url: '/example/touch',
    options: { headers: JSON_HEADERS, body: '[]' },
    code: 'INVALID_REQUEST',
  },
  {
    ...byDefault,
    what: 'a body over 1 MiB',
    options: { headers: JSON_HEADERS, body: `{"name":"${'x'.repeat(1024 * 1024)}"}` },
    code: 'BODY_TOO_LARGE',
  },
  {
    ...byDefault,
    what: 'a number too large to be kept',
    options: { headers: JSON_HEADERS, body: '{"name":"a","parts":[{"weight":1e999}]}' },
    code: 'VALIDATION_ERROR',
    field: 'parts.0.weight',
  },
  ...invalidBodies.map(([what, body, field]) => ({
    ...byDefault,
    what,
    options: { body },
    code: 'VALIDATION_ERROR' as const,
    field,
  })),
  ...addresses.map(([what, method, url, code, field]) => ({ ...byDefault, what, method, url, code, field })),
];
