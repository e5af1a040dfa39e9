import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppendedQuery } from './appended-query.js';
import { compileRoute } from './compile-route.js';
import { uncachedAnswer } from './redirect-answer.js';

interface AppendedQueryCase {
  readonly name: string;
  readonly destination: string;
  readonly queryForwarding: boolean;
  readonly appendQuery: Readonly<Record<string, string>>;
  readonly query: string | null;
  readonly location: string;
}

const corpusUrl = new URL('./appended-query-corpus.json', import.meta.url);
const corpus: { readonly cases: readonly AppendedQueryCase[] } = JSON.parse(readFileSync(corpusUrl, 'utf8'));

function locationOf({
  destination,
  queryForwarding,
  appendQuery,
  query,
}: Omit<AppendedQueryCase, 'location' | 'name'>) {
  const route = compileRoute(
    'old.example',
    destination,
    { pathForwarding: false, queryForwarding },
    uncachedAnswer(301),
    new AppendedQuery(appendQuery),
  );
  return route.location('/', query ?? undefined);
}

describe('an appended query', () => {
  it.each(corpus.cases)('$name', ({ location, ...given }) => {
    expect(locationOf(given)).toBe(location);
  });

  it('is what URLSearchParams finds missing in the query of the request', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '%', '=', '&', 'é', '+', '4', '1'),
      minLength: 1,
    });
    const query = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', '&', '=', '+', '%', '%61', '%C3%A9', '%20', '4', '1') }),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.string({ unit: 'binary' }), { maxKeys: 4 }),
        query,
        (appendQuery, raw) => {
          const destination = 'https://new.example/';
          const location = locationOf({ destination, queryForwarding: false, appendQuery, query: raw });
          const asked = new URLSearchParams(`?${raw}`);
          const missing = Object.entries(appendQuery).filter(([key]) => !asked.has(key));
          expect([...new URL(location).searchParams]).toEqual(missing);
          expect(location).toMatch(/^[!-~]+$/);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('keeps lone surrogates out of the location', () => {
    const given = { destination: 'https://new.example', queryForwarding: false, query: null };
    expect(locationOf({ ...given, appendQuery: { '\ud800': '\udfff' } })).toBe(
      'https://new.example?%EF%BF%BD=%EF%BF%BD',
    );
  });
});
