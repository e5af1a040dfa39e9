import { expect, it } from 'vitest';
import { netlify } from './netlify.js';
import { shownRows } from './row-reading.fixture.js';

it.each([
  ['', []],
  ['# comment\n\n', ['skipped: Comment.', 'skipped: Empty line.']],
  ['/a /b', ['/a -> 301 /b+query']],
  ['/a\thttps://new.example/b 302!  # moved', ['/a -> 302 https://new.example/b+query']],
  ['/news/* /blog/:splat 308', ['/news/* -> 308 /blog/*+query']],
  ['/:year/:slug /posts/:slug-:year', ['/:year/:slug -> 301 /posts/:slug-:year+query']],
  ['/store id=:item tag=x /shop/:item 301', ['/store {"id":true,"tag":"x"} -> 301 /shop/{query.id}+query']],
  [
    'http://Old.Example/* https://new.example/:splat',
    ['old.example (host) -> 301 https://new.example+path+query'],
  ],
  [
    'http://old.example/* https://old.example/:splat 301!',
    [
      'failed: The redirect leads to its own host, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
    ],
  ],
  ['/a /b?fixed=1', ['/a -> 301 /b?fixed=1']],
  ['/gone /404.html 410', ['/gone -> 410 ']],
  ['/* /index.html 200', ['skipped: Status 200 is no redirect.']],
  ['/a /b 303', ['failed: Status 303 is not available. Write 301, 302, 307 or 308.']],
  ['/a /b nonsense', ['failed: "nonsense" is no status. Write 301, 302, 307, 308 or 410.']],
  [
    '/ /fr 302 Country=fr',
    ['failed: Conditions on country are not available for paths. Create a rule on country instead.'],
  ],
  ['/a/*/b /c', ['failed: "*" can only stand at the end of source, after a slash.']],
  ['/a /:splat', ['failed: ":splat" needs a source that ends in "/*".']],
  [
    '/a',
    ['failed: The line has no destination. Write a path that starts with "/", or a URL, after the source.'],
  ],
  ['/a?b=1 /c', ['failed: A query cannot be part of the source. Write "name=value" after it.']],
])('reads %j', async (text, expected) => {
  expect(await shownRows(netlify, text)).toEqual(expected);
});

it('leaves out redirects that an earlier line hides', async () => {
  const text =
    '/docs/* /manual/:splat\n/docs/a /b\n/docs /c\n/x/:a /y\n/x/b /z\n/p /1\n/p/ /2\n/q id=1 /3\n/q /4\n';
  expect(await shownRows(netlify, text)).toEqual([
    '/docs/* -> 301 /manual/*+query',
    'skipped: Never answers: line 1 decides all requests for /docs/a.',
    'skipped: Never answers: line 1 decides all requests for /docs.',
    '/x/:a -> 301 /y+query',
    'skipped: Never answers: line 4 decides all requests for /x/b.',
    '/p -> 301 /1+query',
    'skipped: Never answers: line 6 decides all requests for /p/.',
    '/q {"id":"1"} -> 301 /3+query',
    '/q -> 301 /4+query',
  ]);
});
