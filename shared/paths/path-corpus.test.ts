import { describe, expect, it } from 'vitest';
import { naiveMatch } from './naive-paths.fixture.js';
import { readPathCorpus } from './path-cases.fixture.js';
import { originOf, pathLocation } from './path-location.js';
import { matchPath } from './path-matcher.js';
import { statusIn } from './path-page.js';
import { publishedTable } from './published-table.fixture.js';

describe.each(readPathCorpus())('the corpus of paths, $group', (cases) => {
  const { host, destination, queryForwarding, options, entries } = cases;
  const { paths, pages } = publishedTable(entries, options, host);

  it.each(cases.requests)('$path?$query', ({ path, query, labels, source, location }) => {
    const match = matchPath(paths, pages, path, () => query);
    const entry = entries.find(({ id }) => id === match?.id);
    expect(entry?.source ?? null).toBe(source);
    if (match === undefined) return;
    if (location === null) expect(statusIn(match.code)).toBe(410);
    else {
      const base = { origin: originOf(destination), queryForwarding };
      expect(pathLocation(match.template, match.code, base, { path, query, labels })).toBe(location);
    }
  });

  it('is what the plain interpreter decides', () => {
    for (const { path, query, source } of cases.requests) {
      if (!path.startsWith('/')) continue;
      expect(naiveMatch(entries, options, path, query)?.entry.source ?? null, path).toBe(source);
    }
  });
});
