import { expect, it } from 'vitest';
import { shownRows } from '../row-reading.fixture.js';
import { htaccess } from './htaccess.js';

it.each([
  [
    'Redirect /a https://new.example/b',
    ['/a -> 302 https://new.example/b+query', '/a/* -> 302 https://new.example/b/*+query'],
  ],
  ['redirect 301 /a/ /b/', ['/a/* -> 301 /b/*+query']],
  ['Redirect gone /a', ['/a -> 410 ', '/a/* -> 410 ']],
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
    ['skipped: "RewriteBase" is no redirect.', '/blog/a -> 302 /blog/b+query'],
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
