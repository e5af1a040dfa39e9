import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processEnvironment } from '../../../../../shared/config/process-environment.js';
import { pathEntryOf } from '../../../../../shared/paths/path-cases.fixture.js';
import {
  DEFAULT_PATH_OPTIONS,
  type PathEnding,
  type PathOptions,
} from '../../../../../shared/paths/path-entry.js';
import { preparedEntry } from '../../../../../shared/paths/published-table.fixture.js';
import { type ExportFormat, WRITERS } from '../../../paths/path-export.js';
import type { StoredEntry } from '../../../paths/path-table.js';
import { caddy } from '../caddy/caddy.js';
import type { ImportedRedirect, ImportedRow, ImportFormat } from '../import-format.js';
import { netlify } from '../netlify.js';
import { nginx } from '../nginx/nginx.js';
import { rowsOf } from '../row-reading.fixture.js';
import { differences } from './differences.fixture.js';
import { importedAnswers } from './imported-answers.fixture.js';
import { isInstalled, startOriginal } from './original-server.fixture.js';

const HOST = 'rules.example';
const isRequired = processEnvironment().REQUIRE_SERVICES === '1';

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'x.html', 'caf%C3%A9', 'UP', '$1', 'q(r', '"') },
  { weight: 1, arbitrary: fc.constant(':') },
);
const entry = fc
  .record({
    segments: fc.array(segment, { minLength: 1, maxLength: 4 }),
    end: fc.constantFrom('', '', '/*'),
    slash: fc.constantFrom('', '', '/'),
    ending: fc.constantFrom('inherit', 'inherit', 'exact', 'below'),
    query: fc.constantFrom(null, null, null, { q: '1' }, { q: true }, { q: false }),
    statusCode: fc.constantFrom(301, 302, 307, 308, 410),
    queryForwarding: fc.boolean(),
    fixed: fc.constantFrom('', '?fixed=1'),
  })
  .map(({ segments, end, slash, ending, fixed, ...settings }) => {
    const named = segments.map((one, index) => (one === ':' ? `:p${index}` : one));
    const used = [...named.filter((one) => one.startsWith(':')), ...(end === '' ? [] : ['*'])];
    const source = `/${named.join('/')}${end === '' ? slash : end}`;
    const pathEnding: PathEnding = ending === 'below' && end === '' ? 'exact' : ending;
    return { ...settings, source, pathEnding, target: `/${used.reverse().join('/')}${fixed}` };
  });

type Entry = typeof entry extends fc.Arbitrary<infer One> ? One : never;

/** Returns distinct entries. Each has its number in its destination. */
function redirectsOf(entries: readonly Entry[], options: PathOptions): ImportedRedirect[] {
  const byKey = new Map<string, ImportedRedirect>();
  for (const [
    index,
    { source, target, query, statusCode, queryForwarding, pathEnding },
  ] of entries.entries()) {
    const destination = statusCode === 410 ? null : `https://new.example/${index}${target}`;
    const given = { source, destination, query, statusCode, queryForwarding, pathEnding } as const;
    const { key, conditions } = preparedEntry(pathEntryOf(given), options).published;
    byKey.set(`${key} ${conditions}`, {
      ...given,
      host: null,
      path: source,
      ignoresCase: false,
      pathForwarding: null,
      note: '',
    });
  }
  return [...byKey.values()];
}

const rowOf = (redirect: ImportedRedirect, index: number): ImportedRow => ({
  row: index + 1,
  source: redirect.path ?? '',
  status: 'read',
  redirect,
});

async function exported(format: ExportFormat, redirects: readonly ImportedRedirect[], options: PathOptions) {
  const stored: StoredEntry[] = redirects.map(({ path, ...settings }, index) => ({
    ...settings,
    id: index + 1,
    redirectId: '1',
    source: path ?? '',
    queryForwarding: settings.queryForwarding ?? false,
    pathEnding: settings.pathEnding === 'either' ? 'inherit' : settings.pathEnding,
    enabled: true,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }));
  const redirect = { fromDomain: HOST, toDomain: 'https://own.example', queryForwarding: false };
  const parts: Buffer[] = [];
  for await (const part of WRITERS[format]({
    redirect,
    options,
    async *pages() {
      yield stored;
    },
  })) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Returns the redirects of a file. All others are comments in it. */
function withoutComments(text: string, redirects: readonly ImportedRedirect[]): ImportedRedirect[] {
  const unexpressed = new Set(
    [...text.matchAll(/^\s*# Not expressed \([^\n]*?\): (\S+)( \{.*\})? ->/gm)].map(
      ([, source, query = '']) => `${source}${query}`,
    ),
  );
  return redirects.filter(
    ({ path, query }) => !unexpressed.has(`${path}${query === null ? '' : ` ${JSON.stringify(query)}`}`),
  );
}

/** Returns whether a path can be decoded. Servers refuse other escapes. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

/** Caddy writes a "?" for an empty query, as the file says. */
const withoutEmptyQuery = (location: string | null) => location?.replace(/[?&]$/, '') ?? null;

describe.each([true, false])('an exported table with ignoreTrailingSlash %s', (ignoreTrailingSlash) => {
  const options = { ...DEFAULT_PATH_OPTIONS, ignoreTrailingSlash };
  const [sample = []] = fc.sample(fc.array(entry, { minLength: 150, maxLength: 150 }), {
    seed: 7,
    numRuns: 1,
  });

  const servers = [
    ['nginx', (text: string) => `server {\nlisten 80;\nserver_name ${HOST};\n${text}\n}`],
    ['caddy', (text: string) => `http://${HOST} {\n${text}\nrespond 404\n}`],
  ] as const;
  const available = servers.filter(([name]) => isRequired || isInstalled(name));
  it.skipIf(available.length === 0).for(available)(
    'is answered by a real %s as by Waymark',
    async ([name, around]) => {
      const redirects = redirectsOf(sample, options);
      const text = await exported(name, redirects, options);
      const rows = withoutComments(text, redirects).map(rowOf);
      expect(rows.length).toBeGreaterThan(60);
      const server = await startOriginal(name, around(text));
      const found = await differences({
        rows,
        ask: async (host, target) => {
          const { status, location } = await server(host, target);
          return { status, location: withoutEmptyQuery(location) };
        },
        hosts: [HOST],
        options,
        isDocumented: (path) => !isDecodable(path),
      });
      expect(found.differing).toEqual([]);
      expect(found.compared).toBeGreaterThan(1_000);
    },
  );

  const formats: readonly (readonly [ExportFormat, ImportFormat])[] = [
    ['nginx', nginx],
    ['netlify', netlify],
    ['caddy', caddy],
  ];
  it.each(formats)('answers the same after an export to %s and an import', async (name, format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
        // Netlify ignores a slash at the end, as the file says.
        const written =
          name === 'netlify' ? entries.map((one) => ({ ...one, pathEnding: 'inherit' as const })) : entries;
        const redirects = redirectsOf(written, options);
        const text = await exported(name, redirects, options);
        const own = withoutComments(text, redirects);
        // Netlify passes the query on in any case, as the file says.
        const expected =
          name === 'netlify'
            ? own.map((one) => ({ ...one, queryForwarding: !one.destination?.includes('?') }))
            : own;
        const again = await rowsOf(format, text);
        expect(again.filter(({ status }) => status === 'failed')).toEqual([]);
        const found = await differences({
          rows: expected.map(rowOf),
          ask: async (host, target) =>
            importedAnswers(again, host, options)(target) ?? { status: 404, location: null },
          hosts: [HOST],
          options,
          isDocumented: (path) => !isDecodable(path),
        });
        expect(found.differing).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
