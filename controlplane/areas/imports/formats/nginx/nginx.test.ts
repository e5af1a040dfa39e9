import { expect, it } from 'vitest';
import { rowsOf, shownRows } from '../row-reading.fixture.js';
import { nginx } from './nginx.js';

/** Returns the rows that are redirects or failed. */
async function found(text: string): Promise<string[]> {
  return (await shownRows(nginx, text)).filter((row) => !row.startsWith('skipped'));
}

it.each([
  ['location = /a { return 301 /b; }', ['/a -> 301 /b']],
  ['location = /a { return https://new.example/b; }', ['/a -> 302 https://new.example/b']],
  ['location / { return 301 https://new.example$request_uri; }', ['/* -> 301 https://new.example/*+query']],
  [
    'location /a/ { return 308 https://new.example$uri$is_args$args; }',
    ['/a/* -> 308 https://new.example/a/*+query'],
  ],
  ['location = "/a b" { return 410; }', ['/a%20b -> 410 ']],
  [
    'rewrite ^/a/(.*)$ /b/$1 last;\nlocation /a/ { return 301 /c; }\nlocation /b/ { return 301 /d; }',
    [
      'failed: Line 1 gives some of these requests another path first. Write the redirect for the paths that visitors ask for, and remove line 1.',
      '/b/* -> 301 /d',
    ],
  ],
  ['location = /a { return 303 /b; }', ['failed: Status 303 is not available. Write 301, 302, 307 or 308.']],
  ['location ~ ^/(a|b)/([^/]+)$ { return 301 /$2/$1; }', ['/a/:p1 -> 301 /:p1/a', '/b/:p1 -> 301 /:p1/b']],
  ['location ~ ^/u/(?<name>[^/]+)$ { return 301 /users/$name; }', ['/u/:p1 -> 301 /users/:p1']],
  [
    'location = /a { return 301 $scheme://new.example/b; }',
    ['failed: The destination takes the scheme of the request. Write "https" instead of "$scheme".'],
  ],
  [
    'location = /a { return 301 https://new.example/$cookie_x; }',
    ['failed: $cookie_x is not available in destinations. Write its value.'],
  ],
  [
    'location = /a { return 301 https://new.example?u=$request_uri&x=1; }',
    ['failed: $request_uri holds the query and must stand at the end. Write $uri for the path.'],
  ],
  ['location /dist { rewrite ^/dist/old/(.*)$ /dist/$1 permanent; }', ['/dist/old/* -> 301 /dist/*+query']],
  ['location /a/ { rewrite ^ https://new.example$uri? permanent; }', ['/a/* -> 301 https://new.example/a/*']],
  [
    'location /a/ { rewrite ^/b$ /c permanent; }',
    [
      'failed: It also matches paths outside of the surrounding location or condition. Write the whole path there.',
    ],
  ],
  ['rewrite ^/a$ /b;', []],
  ['location @x { return 301 /b; }', ['failed: The location @x has no path of its own. Move the redirect.']],
  [
    'if ($http_user_agent ~ Mobile) { return 302 /m; }',
    ['failed: The condition on $http_user_agent cannot be kept. Create a rule on user_agent instead.'],
  ],
  [
    'if ($scheme = http) { return 301 https://$host$request_uri; }',
    ['failed: Redirects to HTTPS are not entries. Set httpsMode of the redirect to "upgrade" instead.'],
  ],
  [
    'if ($host = old.example) { return 301 https://new.example$request_uri; }',
    ['old.example (host) -> 301 https://new.example+path+query'],
  ],
  ['if ($request_uri = "/a?id=5") { return 301 /b; }', ['/a {"id":"5"} -> 301 /b']],
  ['/a /b;\n~^/c/(.*)$ /d/$1;', ['/a -> 301 /b', '/c/* -> 301 /d/*+query']],
  ['location = /a { return 301 /b }', ['failed: The directive has no ";" at its end.']],
  [
    'location = /a {\nreturn 301 /b;',
    ['failed: The block is not closed. Write "}" at its end.', '/a -> 301 /b'],
  ],
])('reads %j', async (text, expected) => {
  expect(await found(text)).toEqual(expected);
});

it('takes names and scheme of the server, and refuses names that stand for unknown hosts', async () => {
  const text = `server { listen 443 ssl; server_name a.example .b.example ~^c\\d+\\.example$;
    return 301 $scheme://www.$host$request_uri; }`;
  expect(await found(text)).toEqual([
    'failed: The server name "~^c\\d+\\.example$" cannot be taken. Name each host.',
    'a.example (host) -> 301 https://www.a.example+path+query',
    'b.example (host) -> 301 https://www.b.example+path+query',
    'failed: Line 2: $host is not available in destinations. Write its value.',
  ]);
});

it('takes the status and the beginning of destinations from the directive that uses a map', async () => {
  const text = `map $uri $moved { default ""; /a /b; "/c d" https://other.example/; \\default /e; }
server { server_name old.example; if ($moved) { return 302 https://new.example$moved; } }`;
  expect(await found(text.replace('https://other.example/', '/f'))).toEqual([
    'old.example/a -> 302 https://new.example/b',
    'old.example/c%20d -> 302 https://new.example/f',
    'failed: Line 1: The path must start with "/".',
  ]);
});

it('reads maps of hosts and of addresses', async () => {
  const text = `map $host $to { hostnames; old.example https://new.example; *.old.example https://new.example/sub; }
map $host$uri $there { old.example/a /b; }
map $http_upgrade $connection { default upgrade; }`;
  expect(await found(text)).toEqual([
    'old.example (host) -> 301 https://new.example',
    '*.old.example (host) -> 301 https://new.example/sub',
    'old.example/a -> 301 /b',
  ]);
});

it('numbers rows by lines and names the line where a line has several redirects', async () => {
  const text = '# one\nlocation ~ ^/(a|b)$ {\n  return 301 /c;\n}\nlocation /near { return 301 /d; }\n';
  expect((await rowsOf(nginx, text)).map(({ row, source }) => [row, source.trim()])).toEqual([
    [1, '# one'],
    [2, 'location ~ ^/(a|b)$ {'],
    [3, 'return 301 /c;'],
    [4, 'return 301 /c;'],
    [5, '}'],
    [6, 'location /near { return 301 /d; }'],
  ]);
  expect((await shownRows(nginx, text)).at(-1)).toContain('Line 5: ');
});

it('a row of a server without a name says so where other servers have names', async () => {
  const unnamed = 'server { return 302 https://new.example; }';
  const named = 'server { server_name a.example; return 302 https://new.example; }';
  const remarkOf = async (text: string) =>
    (await rowsOf(nginx, text)).flatMap((row) => (row.status === 'read' ? [row.remark] : []));
  expect(await remarkOf(unnamed)).toEqual([undefined]);
  expect(await remarkOf(`${unnamed}\n${named}`)).toEqual([
    expect.stringContaining('hosts that no other server names'),
    undefined,
  ]);
});
