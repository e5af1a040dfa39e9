import { expect, it } from 'vitest';
import { FORMATS } from '../formats.js';
import { shownRows } from '../row-reading.fixture.js';

const HEADER = 'skipped: Names of the columns.';

it.each([
  ['cloudflare', 'old.example/a,https://new.example/b', ['old.example/a -> 301 https://new.example/b']],
  [
    'cloudflare',
    'https://Old.example,"https://new.example/b,c",302,TRUE',
    ['old.example/ -> 302 https://new.example/b,c+query'],
  ],
  [
    'cloudflare',
    'old.example/a,https://new.example/b,308,,true',
    ['old.example/a -> 308 https://new.example/b', '*.old.example/a -> 308 https://new.example/b'],
  ],
  [
    'cloudflare',
    'old.example/a,https://new.example/b,,,,TRUE,TRUE',
    ['old.example/a -> 301 https://new.example/b', 'old.example/a/* -> 301 https://new.example/b/*'],
  ],
  [
    'cloudflare',
    'old.example/a/,https://new.example/b/,,,,TRUE,',
    ['old.example/a/* -> 301 https://new.example/b/'],
  ],
  [
    'cloudflare',
    'old.example/,https://new.example/,301,TRUE,,TRUE,TRUE',
    ['old.example (host) -> 301 https://new.example+path+query'],
  ],
  [
    'cloudflare',
    'old.example/a,https://new.example/b,301,maybe',
    ['failed: Options must be TRUE, FALSE or empty.'],
  ],
  ['cloudflare', 'old.example/a,/b', ['failed: The target must be an absolute http or https URL.']],
  [
    'cloudflare',
    'old.example/a?b=c,https://new.example/',
    ['failed: The source must be a host and a path, without port, query and wildcard.'],
  ],
  [
    'shlink',
    'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n"2024","s.example","abc","https://s.example/abc","https://new.example/?_gl=1*a","A title","x|y",3\n',
    [HEADER, 's.example/abc -> 302 https://new.example/?_gl=1%2Aa (A title)'],
  ],
  [
    'shlink',
    'Short URL;Long URL\nhttps://s.example/a/b;https://new.example\n',
    [HEADER, 's.example/a/b -> 302 https://new.example'],
  ],
  [
    'shlink',
    'a,b\n1,2',
    [
      'failed: The first line must name the columns: one of shortcode, keyword, slug, backhalf, alias, source, customlink, custombitlinks, custombitlink, shorturl, shortlink, link, bitlink, id, and one of longurl, url, destinationurl, destination, originalurl, target.',
      'failed: The first line must name the columns: one of shortcode, keyword, slug, backhalf, alias, source, customlink, custombitlinks, custombitlink, shorturl, shortlink, link, bitlink, id, and one of longurl, url, destinationurl, destination, originalurl, target.',
    ],
  ],
  [
    'shlink',
    'domain,shortCode,longUrl\ns.example:8080,a*b,https://new.example\ns.example,a*b,https://new.example\n',
    [
      HEADER,
      'failed: "s.example:8080" must be a short link like "go.example/code".',
      'failed: "*" and ":" with a name are placeholders here and cannot be taken as text.',
    ],
  ],
  [
    'yourls',
    'abc,https://new.example/x,Title,2024-01-01,127.0.0.1,5\n\n',
    ['/abc -> 301 https://new.example/x (Title)', 'skipped: Empty line.'],
  ],
  [
    'yourls',
    'keyword,url\nabc,ftp://new.example',
    [HEADER, 'failed: The destination must be an absolute http or https URL.'],
  ],
  [
    'bitly',
    'link,long_url,title\nhttps://bit.ly/3xYz,https://new.example,\n',
    [HEADER, '/3xYz -> 301 https://new.example'],
  ],
  [
    'bitly',
    'Link,Custom Link,Long URL\nbit.ly/3xYz,"https://go.example/a, https://go.example/b",https://new.example\n',
    [HEADER, 'go.example/a -> 301 https://new.example', 'go.example/b -> 301 https://new.example'],
  ],
  [
    'wordpress',
    'source,target,regex,code,type,hits,title,status\n"/a?id=5","/b",0,301,"url",0,"Note","active"\n"/c","/d",0,301,"url",0,"","disabled"\n"/e","",0,410,"error",0,"","active"\n',
    [HEADER, '/a {"id":"5"} -> 301 /b (Note)', 'skipped: The redirect is disabled.', '/e -> 410 '],
  ],
  [
    'wordpress',
    'source,target,regex,code\n^/old/(.*)$,/new/$1,1,302\n^/id/(\\d+),/b,1,301\n',
    [
      HEADER,
      '/old/* -> 302 /new/*+query',
      'failed: A placeholder matches any segment, not only some characters. Write "[^/]+" if any segment may match.',
    ],
  ],
  [
    'shlink',
    '"createdAt","domain","shortCode","shortUrl","longUrl","title","tags","visits"\n"2022-10-27T10:54:41+08:00","s.example","%E5%85%B1%E7%B7%A8","http://s.example/共編","https://new.example/a#:~:text=b","A ""title"", 共","x",19\n"2022-09-06T06:28:50+08:00","s.example","mail+","http://s.example/mail+","https://new.example/:p:/g?e=1","","",56\n',
    [
      HEADER,
      's.example/%E5%85%B1%E7%B7%A8 -> 302 https://new.example/a#:~:text=b (A "title", 共)',
      's.example/mail+ -> 302 https://new.example/%3Ap:/g?e=1',
    ],
  ],
  [
    'shlink',
    'longURL;tags;domain;short code;Title\nhttps://new.example;a,b;s.example;code;\nhttps://new.example;;;other;T\n',
    [HEADER, 's.example/code -> 302 https://new.example', '/other -> 302 https://new.example (T)'],
  ],
  [
    'yourls',
    'source,target,hits\r\n/abc/,https://new.example/x,5\r\n/d-e/,"https://new.example/a,b",""\r\n',
    [HEADER, '/abc -> 301 https://new.example/x', '/d-e -> 301 https://new.example/a,b'],
  ],
  [
    'yourls',
    'keyword\turl\ttitle\ttimestamp\tip\tclicks\nabc\thttps://new.example/x\tNULL\t2024-01-01 00:00:00\t::1\t5\n',
    [HEADER, '/abc -> 301 https://new.example/x'],
  ],
  [
    'yourls',
    '"abc";"https://new.example/x";"A ""title""; long";"2024-01-01 00:00:00";"127.0.0.1";"0"\n',
    ['/abc -> 301 https://new.example/x (A "title"; long)'],
  ],
  [
    'bitly',
    'id,title,long_url,created_at,link,archived,tags,custom_bitlinks\nbit.ly/1,T,https://new.example/,2026-04-01T10:00:00+0000,https://bit.ly/1,false,[],[]\nbit.ly/2,T,https://new.example/,2026-04-01T10:00:00+0000,https://bit.ly/2,false,[],"[""https://go.example/b"",""https://go.example/c""]"\nbit.ly/3,,https://new.example/,2026-04-01T10:00:00+0000,https://bit.ly/3,false,[],[\'https://go.example/d\']\n',
    [
      HEADER,
      '/1 -> 301 https://new.example/ (T)',
      'go.example/b -> 301 https://new.example/ (T)',
      'go.example/c -> 301 https://new.example/ (T)',
      'go.example/d -> 301 https://new.example/',
    ],
  ],
  [
    'bitly',
    'Link,Custom Link,Destination URL\nbit.ly/a,go.example/b,https://new.example/\nbit.ly/c,,https://new.example/\n',
    [HEADER, 'go.example/b -> 301 https://new.example/', '/c -> 301 https://new.example/'],
  ],
  [
    'wordpress',
    'source,target,regex,code,type,hits,title,status\n"/a","[FORMULA] +b",0,301,"url",0,"[FORMULA] [FORMULA] =SUM(A1)","active"\n"/b","/unknown",0,301,"url",0,"","active"\n"/c","/",0,0,"pass",0,"","active"\n',
    [
      HEADER,
      'failed: destination must be an absolute http or https URL, or a path that starts with "/".',
      'failed: The redirect has a condition that the CSV does not contain. Export JSON from the plugin, or write the target.',
      'failed: Actions of the type "pass" are not available. Only "url" and "error" are.',
    ],
  ],
  [
    'wordpress',
    '/a,https://new.example/a\n^/b/(.*)$,/c/$1\n"[FORMULA] =d",/e\n/f,/g,,,,,[FORMULA] =1\n',
    [
      '/a -> 301 https://new.example/a',
      '/b/* -> 301 /c/*+query',
      'failed: The source must be a path that starts with "/".',
      '/f -> 301 /g (=1)',
    ],
  ],
  [
    'wordpress',
    'source,target\n/a,"unclosed\n',
    [
      HEADER,
      'failed: Record 2 is not valid CSV. Close its quotes. A record can have at most 65536 characters.',
    ],
  ],
])('%s: reads %j', async (format, text, expected) => {
  expect(await shownRows(FORMATS.get(format)!, text)).toEqual(expected);
});

const ITEM = {
  url: '/a',
  action_type: 'url',
  action_code: 301,
  action_data: { url: '/b' },
  match_type: 'url',
  regex: false,
};
const SOURCE = { flag_query: 'pass', flag_case: false, flag_trailing: true, flag_regex: false };

it.each([
  [ITEM, '/a -> 301 /b'],
  [{ ...ITEM, match_data: { source: SOURCE } }, '/a -> 301 /b+query'],
  [{ ...ITEM, match_data: { source: { ...SOURCE, flag_case: true } } }, '/a (any case) -> 301 /b+query'],
  [
    { ...ITEM, match_type: 'server', action_data: { server: 'https://old.example', url_from: '/b' } },
    'old.example/a -> 301 /b',
  ],
  [
    { ...ITEM, match_type: 'agent' },
    'failed: Conditions of the type "agent" cannot be kept. Create a rule on user_agent instead.',
  ],
  [
    { ...ITEM, action_type: 'random' },
    'failed: Actions of the type "random" are not available. Only "url" and "error" are.',
  ],
  [{ ...ITEM, action_type: 'error', action_code: 404 }, 'skipped: Status 404 is no redirect.'],
  [{ ...ITEM, enabled: false }, 'skipped: The redirect is disabled.'],
  [{ ...ITEM, group_id: 2 }, 'skipped: The group of the redirect is disabled.'],
  [{ ...ITEM, group_id: 3 }, 'skipped: The group of the redirect is disabled.'],
])('wordpress: reads the JSON item %j', async (item, expected) => {
  const text = JSON.stringify(
    {
      groups: [
        { id: 1, status: 'enabled' },
        { id: 2, enabled: false },
        { id: 3, status: 'disabled' },
      ],
      redirects: [item],
    },
    null,
    2,
  );
  expect(await shownRows(FORMATS.get('wordpress')!, text)).toEqual([expected]);
});

it('reads what the export of Redirection 5 writes, with its quotes and line breaks', async () => {
  // Written by `Red_Csv_File::get_data` of the plugin for these redirects.
  const text = `source,target,regex,code,type,hits,title,status
"/old","/new",0,301,"url",12,"Moved ""page"", twice","active"
"/404","https://new.example/a,b?x=1&y=2",0,302,"url",0,"","active"
"^/blog/([^/]+)/?$","/news/$1",1,308,"url",0,"","active"
"/gone","",0,410,"error",0,"","active"
"/off","/x",0,301,"url",0,"","disabled"
"/login","/unknown",0,301,"url",0,"","active"
"/multi","/line",0,301,"url",0,"two
lines","active"
"/random","/r",0,301,"random",0,"","active"
`;
  const csv = FORMATS.get('wordpress');
  expect(csv && (await shownRows(csv, text))).toEqual([
    'skipped: Names of the columns.',
    '/old -> 301 /new (Moved "page", twice)',
    '/404 -> 302 https://new.example/a,b?x=1&y=2',
    '/blog/:p1 -> 308 /news/:p1+query',
    '/gone -> 410 ',
    'skipped: The redirect is disabled.',
    expect.stringContaining('failed: The redirect has a condition that the CSV does not contain.'),
    '/multi -> 301 /line (two\nlines)',
    expect.stringContaining('failed: Actions of the type "random" are not available.'),
  ]);
});
