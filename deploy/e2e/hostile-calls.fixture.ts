/** A call of the API that is proper HTTP and carries something evil. */
export interface HostileCall {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  /** Whole header lines besides Host, Authorization and, with a body, its length. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** The status it must get; without one any below 500. */
  readonly status?: number;
}

const JSON_TYPE = 'Content-Type: application/json';
const MEGABYTE = 1_000_000;
const LONE_SURROGATE = '\\ud800';

function create(name: string, body: string | Buffer, status?: number): HostileCall {
  const call = { name, method: 'POST', target: '/add-redirect', headers: [JSON_TYPE], body };
  return status === undefined ? call : { ...call, status };
}

const redirect = (fromDomain: string, toDomain: string, more = ''): string =>
  `{"fromDomain":"${fromDomain}","toDomain":"${toDomain}"${more}}`;

const JSON_BODIES: readonly HostileCall[] = [
  create('arrays 100,000 deep', `{"fromDomain":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400),
  create('arrays 400,000 deep that never close', '['.repeat(400_000), 400),
  create('objects 100,000 deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400),
  create('100,000 members', `{${Array.from({ length: 90_000 }, (_, index) => `"m${index}":0`).join()}}`, 422),
  create('a list of 300,000 lists', `{"fromDomain":[${'[],'.repeat(300_000)}[]]}`, 422),
  create('a name of 1 MB', `{"${'n'.repeat(MEGABYTE)}":1}`, 422),
  create(
    'a number of 100,000 digits',
    redirect('n.localhost', 'https://n.example', `,"samplingRate":${'9'.repeat(100_000)}`),
    422,
  ),
  create(
    'a number beyond all numbers',
    redirect('n.localhost', 'https://n.example', ',"samplingRate":1e999999'),
    422,
  ),
  create('a number that is none', redirect('n.localhost', 'https://n.example', ',"samplingRate":NaN'), 400),
  create(
    'the same member twice',
    '{"fromDomain":"x","fromDomain":"twice.localhost","toDomain":"https://t.example"}',
    201,
  ),
  create('__proto__', redirect('p.localhost', 'https://p.example', ',"__proto__":{"isVerified":true}'), 400),
  create(
    'a constructor with a prototype',
    redirect('p.localhost', 'https://p.example', ',"constructor":{"prototype":{"a":1}}'),
    400,
  ),
  create('toString for a member', redirect('p.localhost', 'https://p.example', ',"toString":1'), 422),
  create(
    'bytes that are no UTF-8',
    Buffer.from('{"fromDomain":"\xc3\x28","toDomain":"\xff"}', 'latin1'),
    400,
  ),
  create('UTF-16', Buffer.from(redirect('u.localhost', 'https://u.example'), 'utf16le'), 400),
  create(
    'a lone surrogate in the destination',
    redirect('s1.localhost', `https://s.example/${LONE_SURROGATE}`),
  ),
  create('a lone surrogate in the domain', redirect(`${LONE_SURROGATE}.localhost`, 'https://s.example'), 422),
  create('U+0000 in the domain', redirect('\\u0000.localhost', 'https://s.example'), 422),
  create('nothing but 1 MB of blanks', ' '.repeat(MEGABYTE), 400),
  create('a string of 1 MB of blanks', redirect(' '.repeat(MEGABYTE), 'https://s.example'), 422),
  create('a body of the type of another', 'fromDomain=a', 400),
  create('null', 'null', 400),
];

const DOMAINS = [
  ['a domain of 1 MB', 'a'.repeat(MEGABYTE)],
  ['a domain of dots', '.'.repeat(200)],
  ['a domain of 200 labels', `${'a.'.repeat(200)}localhost`],
  ['a label of 64 letters', `${'a'.repeat(64)}.localhost`],
  ['a broken IDN', 'xn--\\u00e4\\u00e4.xn--a.localhost'],
  ['letters that become others', `${'\\ufdfa'.repeat(14)}.localhost`],
  ['a domain with a line break', 'a\\r\\nX-Injected: 1.localhost'],
  ['a domain of SQL', "'; DROP TABLE redirects; --.localhost"],
  ['a domain with a port', 'a.localhost:80'],
  ['a wildcard', '*.localhost'],
  ['an address', '127.0.0.1'],
  ['an address in disguise', '0x7f.1'],
].map(([name = '', domain = '']) => create(name, redirect(domain, 'https://d.example'), 422));

const DESTINATIONS = [
  ['a destination of 1 MB', `https://d.example/${'a'.repeat(900_000)}`],
  ['a script for a destination', 'javascript:alert(1)'],
  ['data for a destination', 'data:text/html,<script>'],
  ['a file for a destination', 'file:///etc/passwd'],
  ['user info in the destination', 'https://user:password@d.example'],
  ['a destination of open brackets', 'http://[::1'],
  ['a destination without a host', 'https://'],
  ['a relative destination', '//evil.example'],
].map(([name = '', destination = ''], index) =>
  create(name, redirect(`d${index}.localhost`, destination), 422),
);

const SIZES: readonly HostileCall[] = [
  create('a body one byte over 1 MiB', `"${'a'.repeat(1_048_575)}"`, 413),
  {
    name: 'a body over 1 MiB in chunks',
    method: 'POST',
    target: '/add-redirect',
    headers: [JSON_TYPE, 'Transfer-Encoding: chunked'],
    body: `10000\r\n${'a'.repeat(65_536)}\r\n`.repeat(40),
    status: 413,
  },
];

const TYPES = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  `application/${'x'.repeat(4_000)}`,
  'application/json/../../x',
  '%00',
  'application/jsonp',
].map((type) => ({
  name: `the content type ${type.slice(0, 30)}`,
  method: 'POST',
  target: '/add-redirect',
  headers: [`Content-Type: ${type}`],
  body: redirect('c.localhost', 'https://c.example'),
  status: 400,
}));

const ACCOUNTS: readonly HostileCall[] = [
  [
    'an address of 1 MB',
    '/auth/signup',
    `{"email":"${'a'.repeat(900_000)}@a.example","password":"long enough"}`,
    422,
  ],
  [
    'an address made to be hard to read',
    '/auth/signup',
    `{"email":"${'a.'.repeat(400_000)}","password":"long enough"}`,
    422,
  ],
  ['a password of 1 MB', '/auth/signup', `{"email":"a@a.example","password":"${'p'.repeat(MEGABYTE)}"}`, 422],
  [
    'a login with a password of 1 MB',
    '/auth/login',
    `{"email":"a@a.example","password":"${'p'.repeat(MEGABYTE)}"}`,
    undefined,
  ],
  [
    'a login with an object for a password',
    '/auth/login',
    '{"email":"a@a.example","password":{"$ne":null}}',
    422,
  ],
].map(([name, target, body, status]) => ({
  name: String(name),
  method: 'POST',
  target: String(target),
  headers: [JSON_TYPE],
  body: String(body),
  ...(typeof status === 'number' ? { status } : {}),
}));

const PATHS = [
  '/redirects/%ff',
  '/redirects/%00',
  '/redirects/%',
  '/redirects/%ed%a0%80',
  `/redirects/${'x'.repeat(600)}`,
  `/redirects/${'%2e%2e%2f'.repeat(20)}etc%2fpasswd`,
  '/redirects/__proto__',
  '/redirects/constructor',
  "/redirects/'%20OR%201=1--",
  '/redirects/%0d%0aX-Injected:1',
  '//redirects//x',
  '/redirects;x=1/../..',
  `/${'a/'.repeat(3_000)}`,
  `/${'%41'.repeat(3_000)}`,
  `/get-redirects/me?${'a=1&'.repeat(3_000)}`,
  `/get-redirects/me?${'%5b'.repeat(3_000)}`,
  '/get-redirects/me?__proto__[x]=1&constructor[prototype][x]=1',
  '/get-redirects/me?%ff=%fe&%00=%00',
].map((target) => ({ name: `GET ${target.slice(0, 40)}`, method: 'GET', target }));

const PERIODS = [
  'start=0000-00-00',
  'start=9999-12-31&end=0001-01-01',
  'start=-271821-04-20',
  'end=%2B275760-09-13T00:00:00.001Z',
  'start[]=2026-01-01',
  'start=2026-01-01&start=2026-01-02',
  'start=%00',
  'start=1e309',
  'start=2026-01-01%27%20OR%201=1',
  'start=0001-01-01&end=9999-12-31&interval=hour',
  'interval=__proto__',
  'interval=hour&interval=day',
  'limit=-1&page=-9223372036854775808',
  'limit=1e309&page=0x10',
  `start=${'9'.repeat(5_000)}`,
];

/** @param redirectId one that the caller has */
export function hostileCalls(redirectId: string): readonly HostileCall[] {
  const periods = PERIODS.flatMap((query) =>
    ['basic', 'time'].map((kind) => ({
      name: `${kind} statistics of ${query.slice(0, 40)}`,
      method: 'GET',
      target: `/analytics/redirect/${redirectId}/stats/${kind}?${query}`,
    })),
  );
  const keys = ['k'.repeat(5_000), '\xff\xfe', ' ', '__proto__', '"; DROP TABLE idempotency_keys'].map(
    (key) => ({
      name: `the Idempotency-Key ${JSON.stringify(key.slice(0, 20))}`,
      method: 'POST',
      target: '/verify-domain',
      headers: [JSON_TYPE, `Idempotency-Key: ${key}`],
      body: '{"domain":"nobody.localhost"}',
    }),
  );
  return [
    ...JSON_BODIES,
    ...DOMAINS,
    ...DESTINATIONS,
    ...SIZES,
    ...TYPES,
    ...ACCOUNTS,
    ...PATHS,
    ...periods,
    ...keys,
    {
      name: 'a body where none belongs',
      method: 'GET',
      target: `/redirects/${redirectId}`,
      headers: [JSON_TYPE],
      body: '{"a":1}',
    },
    {
      name: 'another domain for a redirect',
      method: 'PUT',
      target: `/update/${redirectId}`,
      headers: [JSON_TYPE],
      body: '{"fromDomain":"evil.localhost"}',
      status: 422,
    },
  ];
}

/** Returns the bytes of a call. The call requests that the server closes the connection after the answer. */
export function callBytes(call: HostileCall, token: string): Buffer {
  const body = Buffer.from(call.body ?? '');
  const isChunked = call.headers?.some((line) => line.startsWith('Transfer-Encoding'));
  const lines = [
    `${call.method} ${call.target} HTTP/1.1`,
    'Host: api.localhost',
    `Authorization: Bearer ${token}`,
    'Connection: close',
    ...(call.headers ?? []),
    ...(body.length > 0 && !isChunked ? [`Content-Length: ${body.length}`] : []),
  ];
  return Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'), body]);
}
