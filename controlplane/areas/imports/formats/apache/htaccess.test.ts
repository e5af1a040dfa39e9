import { describe, expect, it } from 'vitest';
import { rowsOf, shownRows } from '../row-reading.fixture.js';
import { htaccess } from './htaccess.js';

it.each([
  [
    'Redirect /a https://new.example/b',
    ['/a -> 302 https://new.example/b+query', '/a/* -> 302 https://new.example/b/*+query'],
  ],
  ['redirect 301 /a/ /b/', ['/a/* -> 301 /b/*+query']],
  ['Redirect gone /a', ['/a/* -> 410 ']],
  ['Redirect 303 /a /b', ['failed: Status 303 is not available. Write 301, 302, 307 or 308.']],
  [
    'Redirect 301 /a',
    [
      'failed: The redirect has no destination. Write a path that starts with "/", or a URL, after the source.',
    ],
  ],
  [
    'RedirectMatch permanent "^/(a|b)/(.*)$" https://new.example/$2?from=$1',
    ['/a/* -> 301 https://new.example/*?from=a', '/b/* -> 301 https://new.example/*?from=b'],
  ],
  ['RewriteRule ^a$ /b', ['skipped: The rule rewrites within the server and is no redirect.']],
  ['RewriteRule ^a$ b [R=permanent]', ['/a -> 301 /b+query']],
  [
    'RewriteRule ^a/([^/]*)$ b/$1\nRewriteRule ^([^/]+)$ c/$1\nRewriteRule ^a/(.*)$ /d/$1 [R]\nRewriteRule ^x/y$ /d [R]',
    [
      'skipped: The rule rewrites within the server and is no redirect.',
      'skipped: The rule rewrites within the server and is no redirect.',
      'failed: Line 1 gives some of these requests another path first. Write the redirect for the paths that visitors ask for, and remove line 1.',
      '/x/y -> 302 /d+query',
    ],
  ],
  ['RewriteRule ^a$ - [R=404]', ['skipped: The rule rewrites within the server and is no redirect.']],
  ['RewriteRule ^ https://new.example%{REQUEST_URI} [R=301,L]', ['/* -> 301 https://new.example/*+query']],
  ['RewriteRule ^a$ https://%{HTTP_HOST}/b [R]', ['/a -> 302 /b+query']],
  [
    'RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301]',
    [
      'failed: The rule leads to the same address, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
    ],
  ],
  ['RewriteRule ^a$ /b [R,NC]', ['/a (any case) -> 302 /b+query']],
  ['RewriteRule ^a$ /b [R,P]', ['failed: The flag [P] is not available. Write the rule without it.']],
  [
    `RewriteRule ^a$ \${names:$1} [R]`,
    ['failed: RewriteMap is not available. Write one rule for each entry of the map.'],
  ],
  [
    '<If "true">\nRedirect /a /b\n</If>',
    [
      'skipped: Beginning of a section.',
      'failed: Redirects within <if> cannot be kept. Move the line out of the section.',
      'skipped: End of a section.',
    ],
  ],
  [
    'RewriteBase /blog\nRewriteRule ^a$ b [R]',
    [
      'skipped: The paths of rules are taken to be below /blog/. If the file lies in another folder, change this line.',
      '/blog/a -> 302 /blog/b+query',
    ],
  ],
  ['RewriteRule ^a$ \\\n  /b [R]', ['skipped: Continues in the next line.', '/a -> 302 /b+query']],
  ['Redirect /*x /b', ['failed: "*" and ":" with a name are placeholders here and cannot be taken as text.']],
  ['Redirect /a /b*{c}', ['/a -> 302 /b%2A%7Bc%7D+query', '/a/* -> 302 /b%2A%7Bc%7D/*+query']],
])('reads %j', async (text, expected) => {
  expect(await shownRows(htaccess, text)).toEqual(expected);
});

const CONDITION = 'skipped: Condition of the next RewriteRule.';

it.each([
  [
    ['%{HTTP_HOST} ^(www\\.)?old.example$ [NC]'],
    [
      'www.old.example (host) -> 301 https://new.example+path+query',
      'old.example (host) -> 301 https://new.example+path+query',
    ],
  ],
  [
    ['%{HTTP_HOST} ^a\\.example$ [OR]', '%{HTTP_HOST} =b.example'],
    [
      'a.example (host) -> 301 https://new.example+path+query',
      'b.example (host) -> 301 https://new.example+path+query',
    ],
  ],
  [['%{HTTP_HOST} ^(.+)\\.old\\.example$'], ['*.old.example (host) -> 301 https://new.example+path+query']],
  [
    ['%{HTTP_HOST} !^www\\.'],
    ['failed: A condition that excludes a host cannot be kept. Name the hosts to redirect.'],
  ],
  [['%{QUERY_STRING} (^|&)id=5(&|$)'], ['/* {"id":"5"} -> 301 https://new.example/*+query']],
  [
    ['%{QUERY_STRING} id=5'],
    [
      'failed: The condition on the query cannot be kept. It can match within another parameter. Write "(^|&)name=value(&|$)", or "(^|&)name=([^&]+)" for any value.',
    ],
  ],
  [
    ['%{HTTPS} off'],
    [
      'failed: Rules on HTTPS are not entries. Set httpsMode of the redirect to "upgrade", and remove the condition to keep the rule.',
    ],
  ],
  [
    ['%{HTTP_USER_AGENT} Mobile'],
    ['failed: The condition on %{HTTP_USER_AGENT} cannot be kept. Create a rule on user_agent instead.'],
  ],
  [['%{REQUEST_FILENAME} !-f', '%{REQUEST_FILENAME} !-d'], ['/* -> 301 https://new.example/*+query']],
])('reads a rule after the conditions %j', async (conditions, expected) => {
  const lines = [
    ...conditions.map((one) => `RewriteCond ${one}`),
    'RewriteRule ^(.*)$ https://new.example/$1 [R=301,L]',
  ];
  const [...shown] = await shownRows(htaccess, lines.join('\n'));
  expect(shown.slice(0, conditions.length)).toEqual(conditions.map(() => CONDITION));
  expect(shown.slice(conditions.length)).toEqual(expected);
});

it('takes the hosts of a virtual host', async () => {
  const text =
    '<VirtualHost *:80>\nServerName old.example\nServerAlias www.old.example\nRewriteRule ^/a$ /b [R]\n</VirtualHost>\nRedirect gone /c/';
  expect((await shownRows(htaccess, text)).filter((row) => row.includes('->'))).toEqual([
    'old.example/a -> 302 /b+query',
    'www.old.example/a -> 302 /b+query',
    '/c/* -> 410 ',
  ]);
});

describe('the end of a path', () => {
  const endingsOf = async (text: string) =>
    (await rowsOf(htaccess, text)).flatMap((row) =>
      row.status === 'read' ? [`${row.redirect.path} ${row.redirect.pathEnding}`] : [],
    );

  it.each([
    ['RewriteRule ^a$ /b [R,L]', ['/a exact']],
    ['RewriteRule ^a/$ /b [R,L]', ['/a/ exact']],
    ['RewriteRule ^a/?$ /b [R,L]', ['/a either']],
    ['RewriteRule ^a(/?)$ /b$1 [R,L]', ['/a/ exact', '/a exact']],
    ['RewriteRule ^a/(.*)$ /b/$1 [R,L]', ['/a/* exact']],
    ['RewriteRule ^a/(.+)$ /b/$1 [R,L]', ['/a/* below']],
    ['RewriteRule ^a(/.*)?$ /b [R,L]', ['/a/* inherit']],
    ['RewriteRule ^a/([^/]+) /b [R,L]', ['/a/:p1/* inherit']],
    ['RewriteRule ^(.*)$ https://new.example/$1 [R,L]', ['/* inherit']],
    ['RewriteRule ^(.+)$ https://new.example/$1 [R,L]', ['/* below']],
    ['Redirect /a https://new.example/b', ['/a exact', '/a/* exact']],
    ['RedirectMatch ^/a/b/ /c', ['/a/b/* exact']],
  ])('of %j is kept', async (text, expected) => {
    expect(await endingsOf(text)).toEqual(expected);
  });

  it('decides what an earlier line leaves of a path', async () => {
    const text = ['^a/(.+)$ /1', '^a/$ /2', '^a/?$ /3', '^a/x$ /4', '^b/?$ /5', '^b$ /6', '^b/(.*)$ /7'];
    const lines = text.map((line) => `RewriteRule ${line} [R,L]`).join('\n');
    expect(await endingsOf(lines)).toEqual([
      '/a/* below',
      '/a/ exact',
      '/a exact',
      '/b either',
      '/b/* exact',
    ]);
  });
});

const ENGINE = 'RewriteEngine On\n';

it.each([
  ['a rule without [L]', `${ENGINE}RewriteRule ^a$ /b [R]`, 'Without [L]'],
  ['a query behind a fragment', `${ENGINE}RewriteRule ^a$ /b#c [R,L,NE]`, 'behind the fragment'],
  ['a query behind a fragment of mod_alias', 'RedirectMatch ^/a$ /b#c', 'behind the fragment'],
  ['a query that is escaped again', `${ENGINE}RewriteRule ^a$ /b?c=1 [R,L,QSA]`, 'a second time'],
  ['a destination relative to a folder', `${ENGINE}RewriteRule ^a$ b [R,L]`, 'Without RewriteBase'],
  ['no RewriteEngine', 'RewriteRule ^a$ /b [R,L]', 'RewriteEngine On'],
  [
    'an earlier line that fails',
    `${ENGINE}RewriteRule ^\\d+$ /b [R,L]\nRewriteRule ^5$ /c [R,L]`,
    'Line 2 is not',
  ],
  [
    'requests that are forbidden',
    `${ENGINE}RewriteRule ^x - [F]\nRewriteRule ^(.*)$ /c [R,L]`,
    'Line 2 is not',
  ],
])('remarks on %s', async (_, text, expected) => {
  const last = (await rowsOf(htaccess, text)).at(-1);
  expect(last?.status === 'read' && last.remark).toContain(expected);
});

it('remarks on nothing where Apache does the same', async () => {
  const rows = await rowsOf(htaccess, `${ENGINE}RewriteRule ^a$ /b?c=1 [R,L]\nRedirect /d /e`);
  expect(rows.filter((row) => row.status === 'read' && row.remark !== undefined)).toEqual([]);
});

it('has rules of mod_rewrite decide before directives of mod_alias', async () => {
  const text = `${ENGINE}Redirect /a https://new.example/never\nRewriteRule ^a(/.*)?$ https://new.example/b [R,L]`;
  expect(await shownRows(htaccess, text)).toEqual([
    'skipped: "RewriteEngine" is no redirect.',
    'skipped: Never answers: line 3 decides all requests for /a.',
    'skipped: Line 2: Never answers: line 3 decides all requests for /a/*.',
    '/a/* -> 302 https://new.example/b+query',
  ]);
});

it.each([
  [
    'after it',
    'RewriteEngine Off\nRewriteRule ^a$ /b [R,L]',
    'skipped: Apache ignores the rule after "RewriteEngine Off".',
  ],
  [
    'before it',
    'RewriteRule ^a$ /b [R,L]\nRewriteEngine Off',
    'failed: Apache ignores the rules before this line',
  ],
])('reports rules that RewriteEngine Off turns off %s', async (_, text, expected) => {
  expect((await shownRows(htaccess, text)).at(-1)).toContain(expected);
});

it('refuses a pattern that a table would prefer to an earlier one where both match', async () => {
  const text = `${ENGINE}RewriteRule ^([^/]+)/b$ /1 [R,L]\nRewriteRule ^x/([^/]+)$ /2 [R,L]\nRewriteRule ^([^/]+)/c$ /3 [R,L]`;
  const shown = await shownRows(htaccess, text);
  expect(shown[2]).toContain('failed: Line 2 (/:p1/b) decides some of these requests first.');
  expect(shown[3]).toBe('/:p1/c -> 302 /3+query');
});
