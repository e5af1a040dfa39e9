import { randomBytes } from 'node:crypto';
import { HEADERS, REQUEST_LINES } from './hostile-heads.fixture.js';
import { CRLF, get, type HostileRequest, lenient, post, refused } from './hostile-request.fixture.js';

const TLS_CLIENT_HELLO = Buffer.concat([
  Buffer.from('1603010200010001fc0303', 'hex'),
  Buffer.alloc(32, 7),
  Buffer.from('20', 'hex'),
  Buffer.alloc(32, 9),
  Buffer.from('0008130213031301c02b', 'hex'),
  Buffer.alloc(430, 0),
]);

const NO_HTTP: readonly HostileRequest[] = [
  refused('random bytes', () => randomBytes(4_096)),
  refused('a TLS client hello', () => TLS_CLIENT_HELLO),
  refused('the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'),
  refused('an SSH banner', () => 'SSH-2.0-OpenSSH_9.6\r\n'),
  refused('an SMTP greeting', () => 'EHLO mail.example\r\nMAIL FROM:<a@b.example>\r\n'),
  refused('a Redis command', () => '*1\r\n$4\r\nPING\r\n'),
  refused('zero bytes', () => Buffer.alloc(8_192)),
  refused('0xff bytes', () => Buffer.alloc(8_192, 0xff)),
  refused('empty lines without end', () => CRLF.repeat(20_000)),
  refused(
    'a text PROXY header before the request',
    (aim) => `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${get()(aim)}`,
  ),
  refused('half a request line', () => 'GET /ha'),
  refused('half a head', ({ host }) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Half: `),
];

const BODIES: readonly HostileRequest[] = [
  ...['-1', '+5', '0x5', '5.0', '1e3', '5 5', 'five', '5, 6', '18446744073709551621', '9'.repeat(400)].map(
    (length) =>
      refused(`a Content-Length of "${length.slice(0, 24)}"`, post('hello', `Content-Length: ${length}`)),
  ),
  // The addon reads an empty line as if it were absent. Behind a proxy the handler refuses it.
  lenient('an empty Content-Length', post('hello', 'Content-Length:')),
  lenient('a Content-Length of "5, 5"', post('hello', 'Content-Length: 5, 5')),
  lenient('two equal Content-Lengths', post('hello', 'Content-Length: 5', 'Content-Length: 5')),
  refused('two different Content-Lengths', post('hello', 'Content-Length: 5', 'Content-Length: 3')),
  lenient('100 MB announced and not sent', post('', 'Content-Length: 104857600')),
  lenient(
    '100 MB announced and expected to be wanted',
    post('', 'Content-Length: 104857600', 'Expect: 100-continue'),
  ),
  ...[
    'zz\r\nhello\r\n0\r\n\r\n',
    '-5\r\nhello\r\n0\r\n\r\n',
    '0x5\r\nhello\r\n0\r\n\r\n',
    `${'f'.repeat(16)}\r\nhello`,
    `1${'0'.repeat(16)}5\r\nhello\r\n0\r\n\r\n`,
    '\r\nhello\r\n',
    '5\r\nhelloworld\r\n0\r\n\r\n',
    '5 5\r\nhello\r\n0\r\n\r\n',
  ].map((body) =>
    lenient(`a chunk of ${JSON.stringify(body.slice(0, 24))}`, post(body, 'Transfer-Encoding: chunked')),
  ),
  lenient(
    'a chunk extension of 64 KB',
    post(`5;${'e'.repeat(65_536)}\r\nhello\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked'),
  ),
  lenient(
    'trailers without end',
    post(`0\r\n${'X-Trailer: 1\r\n'.repeat(5_000)}`, 'Transfer-Encoding: chunked'),
  ),
  lenient('a transfer encoding nobody knows', post('hello', 'Transfer-Encoding: gzip')),
];

/** Attacks on single connections: bytes that are not HTTP, violations of its rules, and extreme but valid requests. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...NO_HTTP,
  ...REQUEST_LINES,
  ...HEADERS,
  ...BODIES,
];
