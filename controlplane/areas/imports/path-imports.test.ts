import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type ImportsApi, startImportsApi } from './imports-api.fixture.js';

let area: ImportsApi;
let user: TestUser;
let run = 0;

beforeAll(async () => {
  area = await startImportsApi();
  user = await area.api.createUser();
});

afterAll(() => area.close());

/** Creates a verified redirect with a table. Returns its id. */
async function redirectWith(entries: readonly object[] = []): Promise<string> {
  run += 1;
  const body = { fromDomain: `site-${run}.localhost`, toDomain: 'https://new.example/base' };
  const { json } = await area.api.call('POST', '/redirects', { token: user.token, body });
  if (entries.length > 0) {
    const { status } = await area.api.call('PUT', `/redirects/${json.id}/paths`, {
      token: user.token,
      body: { entries },
    });
    expect(status).toBe(200);
  }
  return json.id;
}

interface Entry {
  readonly id: number;
  readonly source: string;
}

async function entriesOf(id: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = '';
  do {
    const { data, page } = await area.get(user, `/redirects/${id}/paths?limit=200${cursor}`);
    entries.push(...data);
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  return entries;
}

async function exported(id: string, format: string): Promise<string> {
  const { status, body } = await area.api.call('GET', `/exports/redirects/${id}/paths?format=${format}`, {
    token: user.token,
  });
  expect(status).toBe(200);
  return body;
}

const importPaths = (id: string, file: string, more = 'format=csv') =>
  area.run(user, `kind=paths&redirectId=${id}&${more}`, file);

async function statusesOf(id: string): Promise<string[]> {
  const { data } = await area.get(user, `/imports/${id}/rows`);
  return data.map(({ status }: { status: string }) => status);
}

describe('an import of paths', () => {
  it('merges entries: those for the same requests are replaced and keep their ids, others stay', async () => {
    const id = await redirectWith([
      { source: '/kept', destination: '/k' },
      { source: '/same', destination: '/s' },
      { source: '/changed', destination: '/old' },
    ]);
    const before = await entriesOf(id);
    const file = [
      'source,destination,statusCode',
      '/changed/,/new,302',
      '/same,/s,',
      '/added/*,https://other.example/*,308',
    ];
    const done = await importPaths(id, file.join('\n'));
    expect(done).toMatchObject({
      kind: 'paths',
      redirectId: id,
      state: 'finished',
      rows: { total: 3, done: 3, created: 1, updated: 1, unchanged: 1, failed: 0 },
    });
    expect(await statusesOf(done.id)).toEqual(['updated', 'unchanged', 'created']);
    const after = await entriesOf(id);
    expect(after.slice(0, 3).map((one) => one.id)).toEqual(before.map((one) => one.id));
    expect(after).toMatchObject([
      { source: '/kept', destination: '/k' },
      { source: '/same', destination: '/s' },
      { source: '/changed/', destination: '/new', statusCode: 302 },
      { source: '/added/*', statusCode: 308 },
    ]);
    const { json } = await area.api.call('POST', `/redirects/${id}/paths/test`, {
      token: user.token,
      body: { urls: [`http://site-${run}.localhost/added/x`] },
    });
    expect(json.results[0].location).toBe('https://other.example/x');
  });

  it('reports rows that fail, and applies the others', async () => {
    const id = await redirectWith();
    const lines = [
      { source: '/a', destination: '/b' },
      { source: 'b', destination: '/c' },
      { source: '/a/', destination: '/d' },
      { source: '/gone', statusCode: 410 },
      { source: '/x', destination: '/y', colour: 'red' },
      { source: '/round', destination: `http://site-${run}.localhost/round` },
    ].map((line) => JSON.stringify(line));
    const done = await importPaths(id, lines.join('\n'), 'format=ndjson');
    expect(done.rows).toMatchObject({ total: 6, created: 2, failed: 4 });
    const { data } = await area.get(user, `/imports/${done.id}/rows?status=failed`);
    expect(data).toMatchObject([
      { row: 2, field: 'source', message: expect.stringContaining('must start with') },
      { row: 3, field: 'source', message: expect.stringContaining('earlier row') },
      { row: 5, field: 'colour' },
      { row: 6, field: 'destination', message: expect.stringContaining('leads back') },
    ]);
    expect((await entriesOf(id)).map(({ source }) => source)).toEqual(['/a', '/gone']);
  });

  it('takes rows that ignore case into a table that does', async () => {
    const id = await redirectWith();
    const file =
      'RewriteRule ^About$ /company [R=301,NC]\nRewriteRule ^about$ /never [R=301]\nRedirect /x/ /y/';
    const strict = await importPaths(id, file, 'format=htaccess');
    expect(strict.rows).toMatchObject({ created: 1, failed: 1, skipped: 1 });
    const { data } = await area.get(user, `/imports/${strict.id}/rows?status=failed`);
    expect(data).toMatchObject([{ row: 1, field: 'source', message: expect.stringContaining('ignoreCase') }]);

    await area.api.call('PATCH', `/redirects/${id}/paths`, {
      token: user.token,
      body: { options: { ignoreCase: true } },
    });
    const caseless = await importPaths(id, file, 'format=htaccess');
    expect(caseless.rows).toMatchObject({ created: 1, unchanged: 1, failed: 0, skipped: 1 });
    expect(await entriesOf(id)).toMatchObject([
      { source: '/x/*' },
      { source: '/About', destination: '/company' },
    ]);
  });

  it('answers exactly the paths that the original answers, and says in rows where it cannot', async () => {
    const file = [
      'RewriteEngine On',
      'RewriteRule ^old/(.+)$ https://new.example/o/$1 [R=301,L]',
      'RewriteRule ^page/?$ https://new.example/page [R=301,L]',
      'RewriteRule ^n/\\d+$ https://new.example/n [R=301,L]',
      'RewriteRule ^loose$ https://new.example/loose [R=301]',
    ].join('\n');
    const test = async (id: string, paths: readonly string[]) => {
      const body = { urls: paths };
      const { json } = await area.api.call('POST', `/redirects/${id}/paths/test`, {
        token: user.token,
        body,
      });
      return json.results.map(({ source }: { source: string | null }) => source);
    };
    const urls = ['/old', '/old/', '/old/x', '/page', '/page/', '/loose', '/loose/'];
    const id = await redirectWith();
    const done = await importPaths(id, file, 'format=htaccess');
    expect(done.rows).toMatchObject({ total: 5, created: 3, failed: 1, skipped: 1 });
    expect(await test(id, urls)).toEqual([null, null, '/old/*', '/page', '/page', '/loose', null]);
    const { data } = await area.get(user, `/imports/${done.id}/rows?status=created`);
    expect(data.map(({ message }: { message: string | null }) => message)).toEqual([
      null,
      null,
      'Without [L], Apache applies the rules that follow to the result. Waymark does not. Line 4 is not in the table. Requests for it reach this row if they match.',
    ]);

    const strict = await redirectWith();
    const body = { options: { ignoreTrailingSlash: false } };
    await area.api.call('PUT', `/redirects/${strict}/paths`, {
      token: user.token,
      body: { ...body, entries: [] },
    });
    const again = await importPaths(strict, file, 'format=htaccess');
    expect(again.rows).toMatchObject({ total: 6, created: 4 });
    expect(await test(strict, urls)).toEqual([null, null, '/old/*', '/page', '/page/', '/loose', null]);
    // CSV and JSON contain the member.
    for (const format of ['csv', 'json']) {
      const copy = await redirectWith();
      await importPaths(copy, await exported(id, format), `format=${format}`);
      expect(await test(copy, urls)).toEqual(await test(id, urls));
    }
  });

  it('fails only the rows beyond the arrangements and query conditions of a table', async () => {
    const id = await redirectWith([{ source: '/q', query: { n: 'first' }, destination: '/first' }]);
    // 64 arrangements are allowed: the last two are too many.
    const shapes = Array.from({ length: 66 }, (_, at) => ({
      source: `/${[...at.toString(2)].map((bit, place) => (bit === '1' ? `:p${place}` : 'x')).join('/')}/*`,
      destination: 'https://other.example/',
    }));
    // 32 conditions of one source are allowed, and one is there.
    const conditions = Array.from({ length: 33 }, (_, at) => ({
      source: '/q',
      query: { n: String(at) },
      destination: '/n',
    }));
    const lines = [...shapes, ...conditions, { source: '/plain', destination: '/fine' }];
    const done = await importPaths(id, lines.map((line) => JSON.stringify(line)).join('\n'), 'format=ndjson');
    expect(done).toMatchObject({ state: 'finished', rows: { total: 100, created: 96, failed: 4 } });
    const { data } = await area.get(user, `/imports/${done.id}/rows?status=failed`);
    expect(data).toMatchObject([
      { row: 65, field: 'source', message: expect.stringContaining('64 different arrangements') },
      { row: 66, field: 'source' },
      { row: 98, field: 'query', message: expect.stringContaining('more than 32 entries') },
      { row: 99, field: 'query' },
    ]);
    const again = await importPaths(
      id,
      lines.map((line) => JSON.stringify(line)).join('\n'),
      'format=ndjson',
    );
    expect(again.rows).toMatchObject({ unchanged: 96, failed: 4 });
  });

  it('fails only the rows that lead back to themselves through other redirects', async () => {
    const id = await redirectWith([{ source: '/c', destination: 'https://safe.example/' }]);
    const host = `site-${run}.localhost`;
    const other = await redirectWith([{ source: '/b', destination: `http://${host}/a` }]);
    expect(other).toBeTruthy();
    const back = `http://site-${run}.localhost/b`;
    const file = [`/a,${back}`, '/fine,/ok', '/c,/c2'].join('\n');
    const done = await importPaths(id, `source,destination\n${file}`);
    expect(done).toMatchObject({ state: 'finished', rows: { created: 1, updated: 1, failed: 1 } });
    const { data } = await area.get(user, `/imports/${done.id}/rows?status=failed`);
    expect(data).toMatchObject([
      { row: 1, field: 'destination', message: expect.stringContaining('leads back') },
    ]);
    expect((await entriesOf(id)).map(({ source }) => source)).toEqual(['/c', '/fine']);
  });

  it('fails a row that closes a loop only after another one was refused', async () => {
    const id = await redirectWith([{ source: '/a', destination: `http://site-${run + 1}.localhost/b` }]);
    const own = `http://site-${run}.localhost`;
    const done = await importPaths(id, `source,destination\n/a,${own}/a\n/b,${own}/a\n/c,/fine`);
    expect(done).toMatchObject({ state: 'finished', rows: { created: 1, updated: 0, failed: 2 } });
    expect(await entriesOf(id)).toMatchObject([{ source: '/a', destination: `${own}/b` }, { source: '/c' }]);
  });

  it('collapses the rows that lead to other entries on request, and no other entries', async () => {
    const id = await redirectWith([{ source: '/end', destination: 'https://end.example/', statusCode: 302 }]);
    const own = `http://site-${run}.localhost`;
    const other = await importPaths(id, `source,destination\n/kept,${own}/end`);
    expect(other.rows).toMatchObject({ created: 1 });
    const file = `source,destination\n/a,${own}/b\n/b,${own}/end\n/c,https://end.example/c`;
    const done = await importPaths(id, file, 'format=csv&collapse=true');
    expect(done.rows).toMatchObject({ created: 3, failed: 0 });
    const { data } = await area.get(user, `/imports/${done.id}/rows`);
    expect(data.map(({ message }: { message?: string }) => message ?? '')).toEqual([
      expect.stringContaining('last destination'),
      expect.stringContaining('last destination'),
      '',
    ]);
    expect(await entriesOf(id)).toMatchObject([
      { source: '/end' },
      { source: '/kept', destination: `${own}/end` },
      { source: '/a', destination: 'https://end.example/', statusCode: 302 },
      { source: '/b', destination: 'https://end.example/', statusCode: 302 },
      { source: '/c', destination: 'https://end.example/c', statusCode: 301 },
    ]);
    const refused = await area.send(user, 'kind=redirects&format=csv&collapse=true', 'fromDomain,toDomain');
    expect([refused.status, refused.json.error.field]).toEqual([400, 'collapse']);
  });

  it('changes nothing with dryRun, or with all_or_nothing when a row fails', async () => {
    const id = await redirectWith();
    const file = 'source,destination\n/a,/b\nb,/c';
    expect(await importPaths(id, file, 'format=csv&dryRun=true')).toMatchObject({
      state: 'finished',
      rows: { created: 1, failed: 1 },
    });
    expect(await importPaths(id, file, 'format=csv&mode=all_or_nothing')).toMatchObject({
      state: 'failed',
      error: { code: 'BULK_REJECTED' },
      rows: { created: 0, failed: 1, skipped: 1 },
    });
    expect(await entriesOf(id)).toEqual([]);
  });

  it('fails as a whole when its redirect is gone', async () => {
    const id = await redirectWith();
    const { json } = await area.send(
      user,
      `kind=paths&redirectId=${id}&format=csv`,
      'source,destination\n/a,/b',
    );
    await area.api.call('DELETE', `/redirects/${id}`, { token: user.token });
    await area.runner.runRound();
    expect(await area.get(user, `/imports/${json.id}`)).toMatchObject({
      state: 'failed',
      error: { code: 'NOT_FOUND' },
    });
  });

  it('is refused for the redirect of another user', async () => {
    const id = await redirectWith();
    const other = await area.api.createUser();
    const { status } = await area.send(other, `kind=paths&redirectId=${id}&format=csv`, 'source\n/a');
    expect(status).toBe(403);
    expect(
      (await area.api.call('GET', `/exports/redirects/${id}/paths`, { token: other.token })).status,
    ).toBe(403);
  });
});

const ENTRIES = [
  { source: '/a', destination: '/b', note: '=1+1, "quoted"' },
  { source: '/q', query: { id: '7', x: true }, destination: '/seven' },
  { source: '/q', query: { id: false }, destination: '/none' },
  { source: '/q', destination: 'https://other.example/q', statusCode: 302, queryForwarding: true },
  { source: '/old/*', destination: 'https://other.example/new/*', statusCode: 308 },
  { source: '/u/:name/p', destination: '/people/:name', statusCode: 302 },
  { source: '/fill', destination: '/x?y={query.z}' },
  { source: '/gone', statusCode: 410 },
  { source: '/off', destination: '/x', enabled: false },
];

describe('an export of paths', () => {
  it('as csv makes the same table when it is imported', async () => {
    const id = await redirectWith(ENTRIES);
    const copy = await redirectWith();
    const file = await exported(id, 'csv');
    expect((await importPaths(copy, file)).rows).toMatchObject({ created: ENTRIES.length, failed: 0 });
    expect(await exported(copy, 'csv')).toBe(file);
  });

  it('as csv loses no text', { timeout: 60_000 }, async () => {
    const note = fc.string({ maxLength: 40, unit: 'binary' }).filter((text) => !/\0|\p{Cs}/u.test(text));
    const formula = fc.stringMatching(/^'{0,3}[=+@-].{0,5}$/);
    const value = fc.stringMatching(/^[ -~]{1,10}$/);
    const entry = fc.record({
      note: fc.oneof(note, formula),
      query: fc.option(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(value, fc.boolean()), {
          minKeys: 1,
          maxKeys: 2,
        }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 20 }), async (rows) => {
        const entries = rows.map((row, at) => ({ ...row, source: `/p${at}`, destination: '/x' }));
        const id = await redirectWith(entries);
        const copy = await redirectWith();
        const { rows: counts } = await importPaths(copy, await exported(id, 'csv'));
        expect(counts).toMatchObject({ created: entries.length, failed: 0 });
        expect(await exported(copy, 'json')).toBe(await exported(id, 'json'));
      }),
      { numRuns: 10 },
    );
  });

  it('as json is a list that PUT takes', async () => {
    const id = await redirectWith(ENTRIES);
    const entries = JSON.parse(await exported(id, 'json'));
    const copy = await redirectWith(entries);
    expect(await exported(copy, 'json')).toBe(await exported(id, 'json'));
  });

  it('for nginx has locations, and comments for what cannot be expressed', async () => {
    const lines = (await exported(await redirectWith(ENTRIES), 'nginx')).trim().split('\n').slice(2);
    expect(lines).toEqual([
      '# Not expressed (conditions on the query): /q {"x":true,"id":"7"} -> /seven 301',
      '# Not expressed (conditions on the query): /q {"id":false} -> /none 301',
      'location = "/a" { return 301 "https://new.example/b"; }',
      'location = "/a/" { return 301 "https://new.example/b"; }',
      'location = "/q" { return 302 "https://other.example/q$is_args$args"; }',
      'location = "/q/" { return 302 "https://other.example/q$is_args$args"; }',
      '# Not expressed (the destination has a placeholder for the query or the host): /fill -> /x?y={query.z} 301',
      'location = "/gone" { return 410; }',
      'location = "/gone/" { return 410; }',
      '# Not expressed (the entry is disabled): /off -> /x 301',
      'location ~ "^/u/([^/]+)/p/?$" { return 302 "https://new.example/people/$1"; }',
      'location ~ "^/old(?:/(.*))?$" { return 308 "https://other.example/new/$1"; }',
    ]);
  });

  it('for Netlify has rules, and comments for what cannot be expressed', async () => {
    const lines = (await exported(await redirectWith(ENTRIES), 'netlify')).trim().split('\n').slice(2);
    expect(lines).toEqual([
      '/q x=:x id=7 https://new.example/seven 301',
      '# Not expressed (a condition that a parameter is absent): /q {"id":false} -> /none 301',
      '/a https://new.example/b 301',
      '/q https://other.example/q 302',
      '# Not expressed (the destination has a placeholder for the query or the host): /fill -> /x?y={query.z} 301',
      '# Not expressed (the status 410): /gone ->  410',
      '# Not expressed (the entry is disabled): /off -> /x 301',
      '/u/:name/p https://new.example/people/:name 302',
      '# Not expressed (the status 308): /old/* -> https://other.example/new/* 308',
    ]);
  });

  it('for Caddy has matchers with conditions on the query', async () => {
    const text = await exported(await redirectWith(ENTRIES), 'caddy');
    expect(text).toMatch(/^# .*\n# .*\nroute \{\n/);
    expect(text).toMatch(
      /path_regexp (e\d+) `\^\/q\/\?\$`\n\t\tquery `x=\*`\n\t\tquery `id=7`\n\t\}\n\tredir @\1 `https:\/\/new\.example\/seven` 301\n/,
    );
    expect(text).toMatch(
      /path_regexp (e\d+) `\^\/old\(\?:\/\(\.\*\)\)\?\$`\n\t\}\n\tredir @\1 `https:\/\/other\.example\/new\/\{re\.\1\.1\}` 308\n/,
    );
    expect(text).toContain(' 410\n');
    expect(text.trim().endsWith('}')).toBe(true);
  });
});
