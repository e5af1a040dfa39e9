import { expect, it } from 'vitest';
import { shownRows } from '../row-reading.fixture.js';
import { caddy } from './caddy.js';

async function found(text: string): Promise<string[]> {
  return (await shownRows(caddy, text)).filter((row) => !row.startsWith('skipped'));
}

it.each([
  ['redir /a /b', ['/a -> 302 /b']],
  [
    'old.example\nredir https://new.example{uri} permanent',
    ['old.example (host) -> 301 https://new.example+path+query'],
  ],
  [
    'a.example, b.example {\n redir * https://new.example{path} 308\n}',
    ['a.example (host) -> 308 https://new.example+path', 'b.example (host) -> 308 https://new.example+path'],
  ],
  [
    '{\n email x\n}\nold.example {\n redir /a/* https://{host}/b{uri}\n}',
    ['old.example/a/* -> 302 /b/a/*+query'],
  ],
  [
    'old.example {\n @m host www.old.example\n redir @m https://old.example{uri}\n}',
    ['www.old.example (host) -> 302 https://old.example+path+query'],
  ],
  [
    'old.example {\n @m path_regexp ^/a/([^/]+)$\n redir @m /b/{re.1}\n}',
    ['old.example/a/:p1 -> 302 /b/:p1'],
  ],
  [
    'old.example {\n handle_path /x/* {\n redir https://new.example{uri}\n }\n}',
    ['old.example/x/* -> 302 https://new.example/*+query'],
  ],
  ['redir /a /b{http.request.uri.prefixed_query} 301', ['/a -> 301 /b+query']],
  ['redir /a /b?x=1&{query}', ['/a -> 302 /b?x=1+query']],
  ['redir /a /b{?query}', ['/a -> 302 /b+query']],
  ['https://{$SITE:old.example} {\n redir /a /b\n}', ['old.example/a -> 302 /b']],
  [':{$PORT:80} {\n redir /a /b\n}', ['/a -> 302 /b']],
  [
    '{$SITE} {\n redir /a /b\n}',
    [
      'failed: The address "{$SITE}" cannot be taken. Write a host.',
      'failed: No address of the site can be taken. Write a host.',
    ],
  ],
  ['route {\n redir /a /b\n}', ['/a -> 302 /b']],
  ['respond /a 410\nrespond /b "Gone" 410\nrespond /c 404', ['/a -> 410 ', '/b -> 410 ']],
  ['@m {\n path /a\n not query q=*\n}\nredir @m /b', ['/a {"q":false} -> 302 /b']],
  [
    '@m {\n path /a\n query q=1\n query q=2\n}\nredir @m /b',
    ['failed: Several values of a parameter need one matcher each.'],
  ],
  ['redir /a /b html', ['failed: Redirects by an HTML page are not available. Write a status.']],
  ['redir /a /b 303', ['failed: Status 303 is not available. Write 301, 302, 307 or 308.']],
  ['redir /a* /b', ['failed: /a* also matches parts of segments. Write a path, or a path and "/*".']],
  ['redir @m /b', ['failed: The matcher @m is not defined.']],
  [
    '@m method GET\nredir @m /b',
    ['failed: The matcher "method" cannot be kept. Use path, path_regexp, host or query.'],
  ],
  [
    'redir https://{host}{uri}',
    [
      'failed: The redirect leads to the same address, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
    ],
  ],
  [
    'redir /a https://new.example/{labels.1}',
    ['failed: {labels.1} is not available in destinations. Write its value.'],
  ],
  ['(s) {\n redir /a /b\n}', ['failed: Redirects in a snippet have no site. Move the line into each site.']],
  [
    'old.example {\n handle_errors {\n redir /a /b\n }\n}',
    ['failed: Redirects within "handle_errors" cannot be kept. Move the line into the site.'],
  ],
  [
    'old.example {\n redir /a "/b c"',
    ['failed: The block is not closed. Write "}" at its end.', 'old.example/a -> 302 /b c'],
  ],
])('reads %j', async (text, expected) => {
  expect(await found(text)).toEqual(expected);
});
