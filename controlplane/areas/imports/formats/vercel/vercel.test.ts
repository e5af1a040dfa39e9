import { expect, it } from 'vitest';
import { rowsOf, shownRows } from '../row-reading.fixture.js';
import { vercel } from './vercel.js';

it.each([
  [{ source: '/a', destination: '/b' }, ['/a -> 308 /b+query']],
  [{ source: '/a', destination: '/b', permanent: false }, ['/a -> 307 /b+query']],
  [
    { source: '/a', destination: 'https://new.example/b', statusCode: 301 },
    ['/a -> 301 https://new.example/b+query'],
  ],
  [{ source: '/a/:id', destination: '/b/:id?x=:id' }, ['/a/:p1 -> 308 /b/:p1?x=:p1+query']],
  [{ source: '/a/:path*', destination: '/b/:path*' }, ['/a/* -> 308 /b/*+query']],
  [{ source: '/a/:path(.*)', destination: '/b/:path' }, ['/a/* -> 308 /b/*+query']],
  [{ source: '/a/(.*)', destination: '/b/$1' }, ['/a/* -> 308 /b/*+query']],
  [{ source: '/a{b}', destination: '/b' }, ['/ab -> 308 /b+query']],
  [{ source: '/a\\{b\\}', destination: '/b' }, ['/a{b} -> 308 /b+query']],
  [
    { source: '/a{-:x}?', destination: '/b' },
    ['failed: A placeholder must be a whole segment. Write "/([^/]+)/" or one entry for each path.'],
  ],
  [
    { source: '/a/(x|y)?/b', destination: '/c' },
    ['/a/x/b -> 308 /c+query', '/a/y/b -> 308 /c+query', '/a/b -> 308 /c+query'],
  ],
  [{ source: '/a/:id?', destination: '/b' }, ['/a/:p1 -> 308 /b+query', '/a -> 308 /b+query']],
  [
    { source: '/:lang(en|de)/a', destination: '/:lang/b' },
    ['/en/a -> 308 /en/b+query', '/de/a -> 308 /de/b+query'],
  ],
  [
    { source: '/:id(\\d+)', destination: '/b' },
    [
      'failed: A placeholder matches any segment, not only some characters. Write "[^/]+" if any segment may match.',
    ],
  ],
  [
    { source: '/a', destination: '/b', has: [{ type: 'host', value: 'old.example' }] },
    ['old.example/a -> 308 /b+query'],
  ],
  [
    {
      source: '/a',
      destination: '/b/:id',
      has: [{ type: 'query', key: 'id' }],
      missing: [{ type: 'query', key: 'x' }],
    },
    ['/a {"id":true,"x":false} -> 308 /b/{query.id}+query'],
  ],
  [
    { source: '/a', destination: '/b', has: [{ type: 'header', key: 'x-vercel-ip-country', value: 'DE' }] },
    ['failed: The condition on header cannot be kept. Create a rule on country instead.'],
  ],
  [
    { source: '/a', destination: '/b', statusCode: 303 },
    ['failed: Status 303 is not available. Write 301, 302, 307 or 308.'],
  ],
  [{ source: 'a', destination: '/b' }, ['failed: source must be a path that starts with "/".']],
  ['text', ['failed: The item must be an object.']],
])('reads the item %j', async (item, expected) => {
  expect(await shownRows(vercel, JSON.stringify({ redirects: [item] }))).toEqual(expected);
});

it.each([
  ['{', 'failed: The file is not valid JSON.'],
  ['1', 'failed: The file must be an object with the member "redirects".'],
  ['{"redirects":[{"__proto__":{}}]}', 'failed: The file is not valid JSON.'],
  [
    `{"redirects":${'['.repeat(100)}${']'.repeat(100)}}`,
    'failed: A JSON file can be nested at most 64 levels deep.',
  ],
  ['{"rewrites":[]}', 'skipped: "rewrites" is no redirect.'],
  ['{"routes":[{"src":"/a/(.*)","status":301,"headers":{"Location":"/b/$1"}}]}', '/a/* -> 301 /b/*+query'],
  ['{"routes":[{"handle":"filesystem"}]}', 'skipped: The route is no redirect.'],
])('reads the file %j', async (text, expected) => {
  expect(await shownRows(vercel, text)).toEqual([expected]);
});

it('remarks on rows after an item that is not in the table', async () => {
  const redirects = [
    { source: 'a', destination: '/b' },
    { source: '/(.*)', destination: '/c' },
  ];
  expect(await rowsOf(vercel, JSON.stringify({ redirects }))).toMatchObject([
    { status: 'failed' },
    { remark: expect.stringContaining('Line 1 is not in the table.') },
  ]);
});
