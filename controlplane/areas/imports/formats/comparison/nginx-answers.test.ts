import { expect, it } from 'vitest';
import { processEnvironment } from '../../../../../shared/config/process-environment.js';
import { nginx } from '../nginx/nginx.js';
import { rowsOf } from '../row-reading.fixture.js';
import { differences } from './differences.fixture.js';
import { isInstalled, startOriginal } from './original-server.fixture.js';

const isRequired = processEnvironment().REQUIRE_SERVICES === '1';

const SERVERS = `
map $uri $moved {
  default "";
  /map/exact /new/exact;
  "~^/map/(one|two)\\.html$" /new/$1;
  ~^/map/rest/(.*)$ https://new.example/rest/$1;
  ~^/map/([^/]+)/edit$ https://new.example/edit/$1?from=map;
}
map $request_uri $raw {
  ~^/raw/(.*)$ https://new.example/raw/$1;
  ~^/raw-item/([^/]+)/?$ https://new.example/item/$1;
}
server {
  listen 80;
  server_name rules.example;
  if ($moved) { return 301 $moved; }
  if ($raw != "") { return 302 $raw; }
  rewrite ^/old/(.*)$ https://new.example/archive/$1 permanent;
  rewrite ^/old/never$ https://new.example/never permanent;
  rewrite ^/(about|contact)/?$ /company/$1 redirect;
  rewrite ^/user/([^/]+)/posts/([^/]+)$ https://new.example/$2/by/$1? permanent;
  rewrite ^/docs(/.*)?$ https://new.example/manual$1 permanent;
  rewrite ^/colou?r/[ab]$ https://new.example/color permanent;
  rewrite ^/internal$ /else last;
  location = /exact { return 301 https://new.example/exact; }
  location = /with-query { return 308 https://new.example/q$is_args$args; }
  location = /keeps { return 307 https://new.example$request_uri; }
  location = /takes { return 302 https://new.example/t?x=$arg_x; }
  location = /search {
    if ($arg_page = 7) { return 301 https://new.example/page-seven; }
    if ($args ~ "(^|&)id=([^&]+)") { return 302 /by-id; }
    return 301 https://new.example/plain;
  }
  location = /gone { return 410; }
  location /folder/ { return 301 https://new.example/folder-moved; }
  location /folder/deeper/ { return 302 https://new.example$request_uri; }
  location ^~ /first/ { rewrite ^/first/(.*)$ /second/$1 permanent; }
  location ~ ^/re/([^/]+)\\.php$ { return 301 https://new.example/never/$1; }
  location ~ ^/re/([^/]+)$ { return 301 https://new.example/re/$1; }
  location /re/hidden/ { return 301 https://new.example/seen; }
  location /re/ { return 301 https://new.example/other; }
  location /near { return 301 https://new.example/near; }
}
server {
  listen 80;
  server_name whole.example www.whole.example;
  location = /kept { return 302 https://new.example/kept; }
  location / { return 301 https://new.example/base$request_uri; }
}
server {
  listen 80;
  server_name fixed.example;
  return 308 $scheme://new.example/fixed;
}
server {
  listen 80 default_server;
  return 404;
}
`;

const HOSTS = ['rules.example', 'whole.example', 'www.whole.example', 'fixed.example'];
/** Literal keys of a map ignore case. Expressions on $request_uri compare the query; a remark says so. */
function isDocumented(path: string, query: string): boolean {
  return path === '/MAP/EXACT' || (path.startsWith('/raw-item/') && query !== '');
}

const name = 'answers like the nginx that the file is from, with ignoreTrailingSlash %s';
it.skipIf(!isInstalled('nginx') && !isRequired).each([true, false])(name, async (ignoreTrailingSlash) => {
  const text = SERVERS.replace('listen 80 default_server;', 'listen 80;');
  const rows = await rowsOf(nginx, text);
  const failed = rows.filter(({ status }) => status === 'failed').map(({ source }) => source.trim());
  expect(failed).toEqual([
    'location ~ ^/re/([^/]+)\\.php$ { return 301 https://new.example/never/$1; }',
    'location /near { return 301 https://new.example/near; }',
  ]);
  const ask = await startOriginal('nginx', text);
  const found = await differences({
    rows,
    ask,
    hosts: HOSTS,
    options: { ignoreTrailingSlash },
    isDocumented,
  });
  expect(found.differing).toEqual([]);
  expect(found.compared).toBeGreaterThan(1_000);
});
