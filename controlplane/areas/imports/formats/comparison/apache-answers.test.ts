import { expect, it } from 'vitest';
import { processEnvironment } from '../../../../../shared/config/process-environment.js';
import { htaccess } from '../apache/htaccess.js';
import { rowsOf } from '../row-reading.fixture.js';
import { differences } from './differences.fixture.js';
import { isInstalled, startOriginal } from './original-server.fixture.js';

const isRequired = processEnvironment().REQUIRE_SERVICES === '1';

const RULES = `
Redirect 301 /alias https://new.example/alias-moved
Redirect /alias/never https://new.example/never
Redirect permanent /folder/ https://new.example/new-folder/
RedirectPermanent /page.html /page
RedirectTemp /with-query https://new.example/q?fixed=1
Redirect gone /gone
Redirect 308 "/quoted" "https://new.example/quoted"
RedirectMatch 301 ^/match/([^/]+)/([^/]+)$ https://new.example/$2/$1
RedirectMatch 302 ^/(one|two)\\.php$ https://new.example/$1
RedirectMatch 307 ^/files/(.*)$ https://new.example/f/$1
RewriteEngine On
RewriteRule ^old/(.*)$ https://new.example/archive/$1 [R=301,L]
RewriteRule ^old/never$ https://new.example/never [R=301,L]
RewriteRule ^about/?$ /company/about [R=301,L]
RewriteRule ^item/([^/]+)\\.never$ https://new.example/never [R=301,L]
RewriteRule ^item/([^/]+)/edit$ https://new.example/edit/$1?from=item [R=302,L]
RewriteRule ^appended$ https://new.example/appended?a=1 [R=302,QSA,L]
RewriteRule ^dropped$ https://new.example/dropped? [R=302,L]
RewriteRule ^discarded$ https://new.example/discarded [R=302,L,QSD]
RewriteRule ^escaped$ https://new.example/a#b [R=301,L]
RewriteRule ^anchor$ https://new.example/a#b [R=301,NE,L]
RewriteRule ^implied$ https://new.example/implied [L]
RewriteRule ^removed$ - [G]
RewriteRule ^inner$ /page [L]
RewriteCond %{QUERY_STRING} (^|&)id=5(&|$)
RewriteRule ^list$ https://new.example/five [R=301,L,QSD]
RewriteCond %{QUERY_STRING} (?:^|&)id=([^&]+)
RewriteRule ^list$ https://new.example/item/%1 [R=301,L,QSD]
RewriteRule ^list$ https://new.example/all [R=301,L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule ^missing/(.+)$ https://new.example/m/$1 [R=301,L]
`;

const WHOLE_HOST = `
RewriteEngine On
RewriteRule ^kept$ https://new.example/exact [R=302,L]
RewriteCond %{HTTP_HOST} ^(www\\.)?whole\\.example$ [NC]
RewriteRule ^(.*)$ https://new.example/base/$1 [R=301,L]
`;

/** With QSA, Apache escapes the query twice, and appends it after a fragment. Remarks on the rows name this. */
function isRemarked(path: string, query: string): boolean {
  return query !== '' && (path === '/appended' || path === '/anchor');
}

it.skipIf(!isInstalled('apache') && !isRequired).each([true, false])(
  'answers like the Apache that the file is from, with ignoreTrailingSlash %s',
  async (ignoreTrailingSlash) => {
    const rows = await rowsOf(htaccess, RULES);
    const failed = rows.filter(({ status }) => status === 'failed').map(({ source }) => source);
    expect(failed).toEqual(['RewriteRule ^item/([^/]+)\\.never$ https://new.example/never [R=301,L]']);
    const ask = await startOriginal(
      'apache',
      RULES.replace(/^RewriteRule \^item\/\(\[\^\/\]\+\)\\\.never.*$/m, ''),
    );
    const options = { ignoreTrailingSlash };
    const found = await differences({
      rows,
      ask,
      hosts: ['rules.example'],
      options,
      isDocumented: isRemarked,
    });
    expect(found.differing).toEqual([]);
    expect(found.compared).toBeGreaterThan(800);
  },
);

it.skipIf(!isInstalled('apache') && !isRequired)(
  'answers like Apache for hosts that move as a whole',
  async () => {
    const rows = await rowsOf(htaccess, WHOLE_HOST);
    const ask = await startOriginal('apache', WHOLE_HOST);
    const hosts = ['whole.example', 'www.whole.example', 'other.example'];
    const found = await differences({
      rows,
      ask,
      hosts,
      options: {},
      isDocumented: (path) => path === '/' || path === '/kept/',
    });
    expect(found.differing).toEqual([]);
    expect(found.compared).toBeGreaterThan(60);
  },
);
