import type { Aim } from './hostile-request.fixture.js';

/** The target of the request within the request: no answer may speak of it. */
export const SMUGGLED = '/smuggled';

/**
 * One request by the strict reading of RFC 9112. It contains a second request that another reading finds. If a server
 * answers both, an attacker can make it answer the next visitor of a shared connection with the attacker's request.
 */
export interface SmugglingAttempt {
  readonly name: string;
  readonly bytes: (aim: Aim) => string;
}

const inner = ({ host }: Aim): string => `GET ${SMUGGLED} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

/**
 * Makes a POST whose body consists of `prefix` and the inner request. `LENGTH` is replaced by the length of the body.
 */
function attempt(name: string, headers: string, prefix = '', method = 'POST'): SmugglingAttempt {
  return {
    name,
    bytes: (aim) => {
      const body = `${prefix}${inner(aim)}`;
      const lines = headers.replaceAll('LENGTH', String(body.length));
      return `${method} ${aim.target} HTTP/1.1\r\nHost: ${aim.host}\r\nContent-Type: application/json\r\n${lines}\r\n\r\n${body}`;
    },
  };
}

const LAST_CHUNK = '0\r\n\r\n';

/** Spellings of a header that some parsers read as `Transfer-Encoding: chunked` and others do not. */
const OBFUSCATED_CHUNKED = [
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunkedx',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding\t: chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: \x00chunked',
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: 'chunked'",
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: ,chunked',
  'Transfer-Encoding:',
  'Transfer-Encoding: CHUNKED',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding\r\n: chunked',
  ' Transfer-Encoding: chunked',
  'X: x\nTransfer-Encoding: chunked',
  'X: x\rTransfer-Encoding: chunked',
  'X: x\r\r\nTransfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Transfer-Encoding: chun\x00ked',
  'Transfer-Encoding: chunked\x00',
];

/** Lines that a lax server reads as a `Content-Length`, and a strict one does not. */
const OBFUSCATED_LENGTHS = [
  'Content-Length : LENGTH',
  'Content-Length\t: LENGTH',
  'Content-Length:\x0bLENGTH',
  'Content-Length: LENGTH\x00',
  'Content-Length: +LENGTH',
  'Content-Length: LENGTH, LENGTH',
  'Content-Length: 0, LENGTH',
  'Content-Length: LENGTH, 0',
  'Content-Length: 0\r\nContent-Length: LENGTH',
  'Content-Length: LENGTH\r\nContent-Length: 0',
  'Content-Length:\r\n LENGTH',
  'Content-Length: 0\r\n LENGTH',
  'X: x\nContent-Length: LENGTH',
  'X: x\rContent-Length: LENGTH',
  ' Content-Length: LENGTH',
  'Content-Length: "LENGTH"',
  'Content-Length: 0LENGTH',
  'Content-Length: LENGTH.0',
];

export const SMUGGLING_ATTEMPTS: readonly SmugglingAttempt[] = [
  attempt('CL.TE', 'Content-Length: LENGTH\r\nTransfer-Encoding: chunked', LAST_CHUNK),
  attempt('TE.CL', 'Transfer-Encoding: chunked\r\nContent-Length: 4', '5c\r\n'),
  attempt('CL.TE with a length of zero', 'Content-Length: 0\r\nTransfer-Encoding: chunked', LAST_CHUNK),
  attempt('a body that only a GET has', 'Content-Length: LENGTH', '', 'GET'),
  attempt('a body that only a HEAD has', 'Content-Length: LENGTH', '', 'HEAD'),
  attempt('a body that only an OPTIONS has', 'Content-Length: LENGTH', '', 'OPTIONS'),
  attempt(
    'a body to be upgraded over',
    'Content-Length: LENGTH\r\nConnection: Upgrade\r\nUpgrade: websocket',
    '',
    'GET',
  ),
  attempt('a body that is awaited', 'Content-Length: LENGTH\r\nExpect: 100-continue'),
  attempt('a chunk extension with a line feed', 'Transfer-Encoding: chunked', `1;\nx\r\nx\r\n${LAST_CHUNK}X`),
  attempt('a chunk that is ended by a line feed', 'Transfer-Encoding: chunked', '0\n\n'),
  attempt('a last chunk that is ended by carriage returns', 'Transfer-Encoding: chunked', '0\r\r'),
  attempt('a chunk size that wraps around', 'Transfer-Encoding: chunked', '10000000000000000\r\n'),
  attempt('a negative chunk size', 'Transfer-Encoding: chunked', '-0\r\n\r\n'),
  attempt('a chunk size in another base', 'Transfer-Encoding: chunked', '0x0\r\n\r\n'),
  ...OBFUSCATED_CHUNKED.flatMap((header) => [
    attempt(`CL.TE by ${JSON.stringify(header)}`, `Content-Length: LENGTH\r\n${header}`, LAST_CHUNK),
    ...(endsTheBody(header) ? [] : [attempt(`TE by ${JSON.stringify(header)}`, header, LAST_CHUNK)]),
  ]),
  ...OBFUSCATED_LENGTHS.map((header) => attempt(`CL by ${JSON.stringify(header)}`, header)),
];

/**
 * Whether this header alone makes the bytes after the last chunk a valid second request, or the request has no body at
 * all.
 */
function endsTheBody(header: string): boolean {
  const [lastLine = ''] = header.split('\r\n').slice(-1);
  return /^Transfer-Encoding:(.*,)?[ \t]*chunked$/i.test(lastLine) || header.startsWith('Transfer_');
}
