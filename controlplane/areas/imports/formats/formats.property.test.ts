import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PATH_OPTIONS } from '../../../../shared/paths/path-entry.js';
import { prepareEntry } from '../../../../shared/paths/publish-table.js';
import { FORMATS } from './formats.js';
import type { ImportedRow } from './import-format.js';
import { rowsOf } from './row-reading.fixture.js';

const LINE_FORMATS = ['nginx', 'htaccess', 'netlify', 'caddy'] as const;
/** Words of directives, and characters that delimit them. */
const WORDS = [
  ...[
    '/a',
    '/a/*',
    '/:id',
    'https://new.example',
    '$1',
    ':splat',
    '%{HTTP_HOST}',
    '$request_uri',
    '{uri}',
    '301',
    '410',
    '#',
  ],
  ...[
    'return',
    'rewrite',
    'location',
    'map',
    'server {',
    'server_name',
    'if (',
    ')',
    '=',
    '~',
    '~*',
    'permanent',
    'default',
  ],
  ...[
    'Redirect',
    'RedirectMatch',
    'RewriteRule',
    'RewriteCond',
    '[R=301,NC,QSA]',
    '<VirtualHost',
    '</VirtualHost>',
    'ServerName',
  ],
  ...[
    'redir',
    'handle',
    '@m',
    'path',
    'path_regexp',
    'query',
    'old.example',
    '*.old.example',
    'x=1',
    'Country=de',
  ],
  ...[
    '^/a/(.*)$',
    '(a|b)',
    '[^/]+',
    '(?:',
    '((((',
    '[a-',
    '\\',
    '"',
    "'",
    '`',
    ';',
    '{',
    '}',
    ',',
    '\n',
    '\r\n',
    '\t',
    '\0',
    '\ud800',
    '😀',
  ],
  ...[
    'source,target,regex,code',
    'long_url,link',
    '{"redirects":[',
    '{"source":"/a","destination":"/b"}',
    ']}',
    '__proto__',
    'true',
  ],
];
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WORDS),
      fc.constantFrom(' ', '\n'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 80 },
  )
  .map((parts) => parts.join(' '));

function expectServable(row: ImportedRow): void {
  if (row.status !== 'read' || row.redirect.path === null) return;
  const { host, path, query, destination, statusCode } = row.redirect;
  const entry = { id: 1, source: path, query, destination, statusCode, queryForwarding: 'inherit' } as const;
  expect(prepareEntry(entry, DEFAULT_PATH_OPTIONS, { host: host ?? 'old.example' })).not.toHaveProperty(
    'field',
  );
}

describe.each([...FORMATS.values()])('$name', (format) => {
  it('reads any text, numbers the rows, gives reasons, and reads only what can be served', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (given, size) => {
        const rows = await rowsOf(format, given, size);
        expect(rows.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1));
        for (const row of rows) {
          if (row.status !== 'read') expect(row.message).not.toBe('');
          expectServable(row);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('reads the same however the text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 20 }), async (given, size) => {
        expect(await rowsOf(format, given, size)).toEqual(await rowsOf(format, given, 10_000));
      }),
      { numRuns: 50 },
    );
  });
});

/** Returns each run of equal values as one value and its length. */
function runsOf(values: readonly string[]): { value: string; length: number }[] {
  const runs: { value: string; length: number }[] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last?.value === value) last.length += 1;
    else runs.push({ value, length: 1 });
  }
  return runs;
}

describe.each(LINE_FORMATS)('%s', (name) => {
  it('accounts for every line in its order', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const rows = await rowsOf(FORMATS.get(name)!, given);
        const lines = given
          .replace(/^\uFEFF/, '')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''));
        if (lines.at(-1) === '') lines.pop();
        const read = runsOf(rows.map(({ source }) => source));
        const written = runsOf(lines);
        expect(read.map(({ value }) => value)).toEqual(written.map(({ value }) => value));
        // A line can have several rows.
        for (const [index, { length }] of written.entries()) {
          expect(read[index]?.length).toBeGreaterThanOrEqual(length);
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** Headers that other systems write; empty for files without one. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  cloudflare: ['', 'source_url,target_url,status_code'],
  shlink: [
    'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits',
    'longURL,tags,domain,short code,Title',
  ],
  yourls: ['', 'keyword,url,title,timestamp,ip,clicks', 'source,target,hits'],
  bitly: [
    'Link,Custom Link,Destination URL',
    'id,title,long_url,created_at,link,archived,tags,custom_bitlinks',
  ],
  wordpress: ['', 'source,target', 'source,target,regex,code,type,hits,title,status'],
};
const cell = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      '/a',
      '/a/',
      'abc',
      'https://new.example/x?y=z#f',
      'go.example/a',
      '*.old.example/a',
      '0',
      '1',
      '301',
      '410',
    ],
    ...[
      'url',
      'error',
      'pass',
      'active',
      'disabled',
      'TRUE',
      'NULL',
      '\\N',
      '/unknown',
      '[FORMULA] =1',
      '[]',
      '["go.example/b"]',
    ],
    ...['^/old/(.*)$', '/new/$1', '共', 'a"b', 'a\nb', '=1', '/:id', '/*'],
  ),
  fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !text.includes('\r')),
);
const record = fc
  .array(cell, { minLength: 1, maxLength: 9 })
  .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(','));

describe.each(Object.entries(HEADERS))('%s', (name, headers) => {
  it('accounts for every record of a table in its order, and reads only what can be served', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...headers),
        fc.array(record, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 50 }),
        async (header, records, size) => {
          const written = header === '' ? records : [header, ...records];
          const rows = await rowsOf(FORMATS.get(name)!, written.join('\r\n'), size);
          for (const row of rows) expectServable(row);
          const read = runsOf(rows.map(({ source }) => source));
          const expected = runsOf(written);
          expect(read.map(({ value }) => value)).toEqual(expected.map(({ value }) => value));
          for (const [index, { length }] of expected.entries()) {
            expect(read[index]?.length).toBeGreaterThanOrEqual(length);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

const jsonValue = fc.oneof(
  fc.constantFrom<unknown>(
    '/a',
    '/old/:id',
    '^/old/(.*)$',
    'https://new.example/$1',
    'old.example',
    '',
    'url',
    'error',
    301,
    '302',
    410,
  ),
  fc.constantFrom<unknown>(
    true,
    false,
    null,
    1,
    'server',
    { url: '/b' },
    { server: 'https://old.example', url_from: '/b' },
  ),
  fc.constantFrom<unknown>({ source: { flag_case: true, flag_query: 'pass', flag_regex: true } }, [
    { type: 'host', value: 'old.example' },
  ]),
  fc.jsonValue({ maxDepth: 2 }),
);
const memberNames = [
  'url',
  'match_data',
  'action_code',
  'action_type',
  'action_data',
  'match_type',
  'regex',
  'group_id',
  'enabled',
];
const item = fc.dictionary(
  fc.constantFrom(
    ...memberNames,
    'title',
    'source',
    'destination',
    'permanent',
    'statusCode',
    'has',
    'missing',
    'src',
    'status',
    'headers',
  ),
  jsonValue,
);

describe.each(['wordpress', 'vercel'])('%s', (name) => {
  it('accounts for every item of JSON in its order, and reads only what can be served', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(item, jsonValue), { maxLength: 6 }),
        jsonValue,
        async (items, groups) => {
          const rows = await rowsOf(FORMATS.get(name)!, JSON.stringify({ redirects: items, groups }), 1_000);
          for (const row of rows) expectServable(row);
          // Other members of the file can also have rows.
          const read = runsOf(rows.map(({ source }) => source)).map(({ value }) => value);
          let at = 0;
          for (const { value } of runsOf(items.map((one) => JSON.stringify(one)))) {
            at = read.indexOf(value, at);
            expect(at).not.toBe(-1);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** Texts that take long if an expression backtracks or a text is searched repeatedly. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['nested groups', `RewriteRule ^${'('.repeat(500)}a${')*'.repeat(500)}$ /b [R]\n`],
  ['repeated repetitions', `RewriteRule ^${'(a{8}'.repeat(16)}${'){8}'.repeat(16)}$ /b [R]\n`],
  ['many alternatives', `RewriteRule ^(${'a|'.repeat(400)})(${'b|'.repeat(100)})$ /b [R]\n`],
  ['optional characters', `RewriteRule ^${'a?'.repeat(500)}$ /b [R]\n`],
  ['many captures in a destination', `RewriteRule ^(${'a'.repeat(1_000)})$ /${'$1'.repeat(8_000)} [R]\n`],
  ['one long line', `Redirect /a ${'/b'.repeat(200_000)}\n`],
  ['many open blocks', `${'server { '.repeat(3_000)}\n`],
  ['many quotes', `${'"\' '.repeat(5_000)}\n`],
  ['many dollars', `location = /a { return 301 ${'$'.repeat(16_000)}; }\n`],
  ['many query parameters', `/a ${'x=1 '.repeat(4_000)} /b 301\n`],
  ['deep JSON', `${'{"redirects":['.repeat(50_000)}`],
  ['many spaces', `Redirect${' '.repeat(16_000)}\n`],
];

describe.each([...FORMATS.values()])('$name', (format) => {
  it.each(HOSTILE)('reads hostile text in bounded time: %s', async (_, hostile) => {
    const started = process.cpuUsage();
    await rowsOf(format, hostile.repeat(5), 65_536);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});
