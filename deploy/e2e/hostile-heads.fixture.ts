import { type Aim, get, type HostileRequest, head, lenient, refused } from './hostile-request.fixture.js';

const requestLine = (line: (aim: Aim) => string) => (aim: Aim) => head(line(aim), `Host: ${aim.host}`);

/** Request lines that are wrong or at the limits. */
export const REQUEST_LINES: readonly HostileRequest[] = [
  refused('HTTP/0.9', ({ target }) => `GET ${target}\r\n\r\n`),
  lenient(
    'HTTP/1.0',
    requestLine(({ target }) => `GET ${target} HTTP/1.0`),
  ),
  refused(
    'HTTP/2.0 as text',
    requestLine(({ target }) => `GET ${target} HTTP/2.0`),
  ),
  refused(
    'HTTP/11.1',
    requestLine(({ target }) => `GET ${target} HTTP/11.1`),
  ),
  refused(
    'HTTP/1.1.1',
    requestLine(({ target }) => `GET ${target} HTTP/1.1.1`),
  ),
  refused(
    'a version in lower case',
    requestLine(({ target }) => `GET ${target} http/1.1`),
  ),
  refused(
    'no version',
    requestLine(({ target }) => `GET ${target}`),
  ),
  refused(
    'no target',
    requestLine(() => 'GET HTTP/1.1'),
  ),
  refused(
    'a target without a slash',
    requestLine(() => 'GET healthz HTTP/1.1'),
  ),
  lenient(
    'a target of asterisk form',
    requestLine(() => 'OPTIONS * HTTP/1.1'),
  ),
  lenient(
    'a target of absolute form',
    requestLine(({ target }) => `GET http://evil.example${target} HTTP/1.1`),
  ),
  refused(
    'a target of authority form',
    requestLine(() => 'CONNECT evil.example:443 HTTP/1.1'),
  ),
  lenient(
    'two spaces before the target',
    requestLine(({ target }) => `GET  ${target} HTTP/1.1`),
  ),
  refused(
    'a tab before the target',
    requestLine(({ target }) => `GET\t${target} HTTP/1.1`),
  ),
  refused(
    'a space before the method',
    requestLine(({ target }) => ` GET ${target} HTTP/1.1`),
  ),
  lenient(
    'a method in lower case',
    requestLine(({ target }) => `get ${target} HTTP/1.1`),
  ),
  lenient(
    'a method nobody knows',
    requestLine(({ target }) => `JUMP ${target} HTTP/1.1`),
  ),
  lenient(
    'a method of a thousand letters',
    requestLine(({ target }) => `${'A'.repeat(1_000)} ${target} HTTP/1.1`),
  ),
  refused(
    'a space within the target',
    requestLine(() => 'GET /a b HTTP/1.1'),
  ),
  lenient(
    'a zero byte in the target',
    requestLine(() => 'GET /a\0b HTTP/1.1'),
  ),
  lenient(
    'a carriage return in the target',
    requestLine(() => 'GET /a\rX-Injected:1 HTTP/1.1'),
  ),
  lenient(
    'an escaped line break in the target',
    requestLine(() => 'GET /a%0d%0aX-Injected:1?%0d%0aX-Injected:1 HTTP/1.1'),
  ),
  lenient(
    'a line break as overlong UTF-8',
    requestLine(() => 'GET /\xe5\x98\x8d\xe5\x98\x8aX-Injected:1 HTTP/1.1'),
  ),
  lenient(
    'bytes that are no UTF-8',
    requestLine(() => 'GET /\xff\xfe\xc0\xaf?\xed\xa0\x80 HTTP/1.1'),
  ),
  lenient(
    'invalid escapes',
    requestLine(() => 'GET /%?%zz&%1&=%e0%80 HTTP/1.1'),
  ),
  lenient(
    'an escaped zero byte',
    requestLine(() => 'GET /%00?%00=%00 HTTP/1.1'),
  ),
  lenient(
    'climbing out of the root',
    requestLine(() => 'GET /../../../../etc/passwd HTTP/1.1'),
  ),
  lenient(
    'a target that begins with two slashes',
    requestLine(() => 'GET //evil.example/%2e%2e HTTP/1.1'),
  ),
  lenient(
    'a fragment in the target',
    requestLine(({ target }) => `GET ${target}#fragment HTTP/1.1`),
  ),
  lenient(
    'a request line of 64 KB',
    requestLine(() => `GET /${'a'.repeat(65_536)} HTTP/1.1`),
  ),
  lenient(
    'a query of 3,000 bytes',
    requestLine(() => `GET /?${'q'.repeat(3_000)} HTTP/1.1`),
  ),
  lenient(
    'a thousand query parameters',
    requestLine(() => `GET /?${'a=1&'.repeat(1_000)} HTTP/1.1`),
  ),
  refused(
    'a request line that ends in a bare line feed',
    ({ host, target }) => `GET ${target} HTTP/1.1\nHost: ${host}\r\n\r\n`,
  ),
];

const withoutHost =
  (...headers: string[]) =>
  ({ target }: Aim): string =>
    head(`GET ${target} HTTP/1.1`, ...headers);

/** Requests whose header fields are not as they should be. */
export const HEADERS: readonly HostileRequest[] = [
  refused('no Host', withoutHost()),
  lenient('an empty Host', withoutHost('Host:')),
  lenient('two equal Hosts', (aim) => get(`Host: ${aim.host}`)(aim)),
  lenient('two different Hosts', get('Host: evil.example')),
  lenient('a Host with a space', withoutHost('Host: a b')),
  lenient('a Host with a comma', ({ host, target }) =>
    withoutHost(`Host: ${host}, evil.example`)({ host, target }),
  ),
  lenient('a Host with user info', ({ host, target }) =>
    withoutHost(`Host: evil.example@${host}`)({ host, target }),
  ),
  lenient('a Host with a path', ({ host, target }) => withoutHost(`Host: ${host}/evil`)({ host, target })),
  lenient('a Host of open brackets', withoutHost('Host: [::1')),
  lenient('a Host of 3,000 letters', withoutHost(`Host: ${'a'.repeat(3_000)}`)),
  lenient('a Host of dots', withoutHost(`Host: ${'.'.repeat(300)}`)),
  lenient('a Host that is no UTF-8', withoutHost('Host: \xff\xfe')),
  refused('a zero byte in Host', withoutHost('Host: a\0b')),
  lenient('a Host called __proto__', withoutHost('Host: __proto__')),
  refused('a header without a colon', get('X-Broken')),
  refused('a space before the colon', get('X-Broken : 1')),
  lenient('a header without a name', get(': 1')),
  refused('a space before the first header', ({ target, host }) =>
    head(`GET ${target} HTTP/1.1`, ` Host: ${host}`),
  ),
  lenient('a header folded over two lines', get('X-Folded: a', ' b')),
  refused('a zero byte in the name of a header', get('X-Ze\0ro: 1')),
  lenient('a zero byte in a header', get('X-Zero: a\0b')),
  lenient('a carriage return in a header', get('X-Return: a\rX-Injected: 1')),
  lenient('a line feed in a header', get('X-Feed: a\nX-Injected: 1')),
  lenient('control characters in a header', get('X-Control: \x01\x02\x07\x1b[2J')),
  lenient(
    'all lines ended by bare line feeds',
    ({ target, host }) => `GET ${target} HTTP/1.1\nHost: ${host}\n\n`,
  ),
  lenient('10,000 headers', get(...Array.from({ length: 10_000 }, (_, index) => `X-${index}: 1`))),
  lenient('150 short headers', get(...Array.from({ length: 150 }, (_, index) => `X${index}: 1`))),
  lenient('a header of 1 MB', get(`X-Large: ${'a'.repeat(1_048_576)}`)),
  lenient(
    'a header that never ends',
    ({ host }) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Endless: ${'a'.repeat(300_000)}`,
  ),
  lenient('a user agent of 3,000 quotes', get(`User-Agent: ${'"\\'.repeat(1_500)}`)),
  lenient('a user agent that is no UTF-8', get('User-Agent: \xff\xfe\xed\xa0\x80')),
  lenient('a language list without sense', get(`Accept-Language: ${'*;q=9e99,'.repeat(300)}`)),
  lenient('a referrer that is no URL', get('Referer: http://[::1\x01]/%%')),
  lenient('a forged chain of addresses', get(`X-Forwarded-For: ${'1.2.3.4, '.repeat(300)}<script>`)),
  lenient('an expectation nobody knows', get('Expect: 200-maybe')),
  lenient(
    'an upgrade to HTTP/2',
    get('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'),
  ),
  lenient(
    'an upgrade to WebSocket',
    get(
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ),
  ),
  lenient('authorization of 3,000 bytes', get(`Authorization: Bearer ${' '.repeat(2_900)}x`)),
  lenient('authorization that is no UTF-8', get('Authorization: Bearer \xff\xfe\xc3\x28')),
];
