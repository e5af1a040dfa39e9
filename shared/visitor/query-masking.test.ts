import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_NAMES,
  MASK,
  type MaskedNames,
  maskedQuery,
  maskedUrl,
  urlWithoutQuery,
} from './query-masking.js';
import { createSecretNames } from './secret-names.js';

const SECRETS = createSecretNames();
const full = (query: string) => maskedQuery(query, SECRETS);
const names = (query: string) => maskedQuery(query, ALL_NAMES);

describe('a query with masked secrets', () => {
  it.each([
    ['', ''],
    ['a=1&b=%20&c', 'a=1&b=%20&c'],
    ['token=abc', 'token=***'],
    ['a=1&token=abc&b=2', 'a=1&token=***&b=2'],
    ['token=abc&token=def&token=', 'token=***&token=***&token='],
    ['TOKEN=abc&%74oken=abc&x-api-key=abc', 'TOKEN=***&%74oken=***&x-api-key=***'],
    ['token=a=b==', 'token=***'],
    ['token=a%26b', 'token=***'],
    ['token=a+b#c?d', 'token=***'],
    ['token', 'token'],
    ['&&token=abc&&', '&&token=***&&'],
    ['=abc', '=abc'],
    ['utm_source=token&utm_campaign=password', 'utm_source=token&utm_campaign=password'],
    ['keyword=abc&author=def', 'keyword=abc&author=def'],
    ['a=1&amp;token=abc', 'a=1&amp;token=***'],
    // Servers that split at `;` see the same names.
    ['token=abc;b=2', 'token=***'],
    ['a=1;token=abc', 'a=1;token=***'],
    ['a=1;token=abc;b=2&c=3', 'a=1;token=***&c=3'],
    ['a;token=abc', 'a;token=***'],
    // A query inside a value.
    ['next=/reset?token=abc&lang=de', 'next=/reset?token=***&lang=de'],
    ['next=%2Freset%3Ftoken%3Dabc%26lang%3Dde&x=1', 'next=%2Freset%3Ftoken%3D***&x=1'],
    ['next=%2Freset%3flang%3dde%26TOKEN%3dabc', 'next=%2Freset%3flang%3dde%26TOKEN%3d***'],
    ['next=%252Freset%253Ftoken%253Dabc', 'next=%252Freset%253Ftoken%253D***'],
    ['next=%2Fcb%23access_token%3Dabc', 'next=%2Fcb%23access_token%3D***'],
    ['filter=token=abc', 'filter=token=***'],
    ['https%3A%2F%2Fa.example%2F%3Ftoken%3Dabc', 'https%3A%2F%2Fa.example%2F%3Ftoken%3D***'],
    ['next=%2Fa%3Fb%3Dc%26d%3De', 'next=%2Fa%3Fb%3Dc%26d%3De'],
    ['q=a%3Db', 'q=a%3Db'],
    ['x=%3Ftoken%3D', 'x=%3Ftoken%3D'],
  ])('of %j is %j', (query, masked) => {
    expect(full(query)).toBe(masked);
  });
});

describe('a query with its names alone', () => {
  it.each([
    ['', ''],
    ['a=1&b=%20&c&d=', 'a=***&b=***&c&d='],
    ['a=1;b=2', 'a=***'],
    ['utm_source=mail', 'utm_source=***'],
    ['https%3A%2F%2Fa.example%2F%3Fid%3Dabc', 'https%3A%2F%2Fa.example%2F%3Fid%3D***'],
  ])('of %j is %j', (query, masked) => {
    expect(names(query)).toBe(masked);
  });

  it('can have its values left out', () => {
    expect(maskedQuery('a=1&b&c=', ALL_NAMES, '')).toBe('a=&b&c=');
  });
});

describe('a URL', () => {
  it.each([
    ['https://a.example/p', 'https://a.example/p', 'https://a.example/p'],
    ['https://a.example/p?a=1&token=abc', 'https://a.example/p?a=1&token=***', 'https://a.example/p'],
    ['https://a.example?token=abc#part', 'https://a.example?token=***#part', 'https://a.example#part'],
    [
      'https://a.example/#access_token=abc&x=1',
      'https://a.example/#access_token=***&x=1',
      'https://a.example/',
    ],
    ['https://a.example/#/r?token=abc', 'https://a.example/#/r?token=***', 'https://a.example/'],
    ['https://a.example/?#', 'https://a.example/?#', 'https://a.example/#'],
    ['https://u:pw@a.example/?a=1', 'https://***@a.example/?a=1', 'https://***@a.example/'],
    ['https://u@pw@a.example', 'https://***@a.example', 'https://***@a.example'],
    ['HTTPS:\\\\u:pw@a.example\\x@y', 'HTTPS:\\\\***@a.example\\x@y', 'HTTPS:\\\\***@a.example\\x@y'],
    ['https:u:pw@a.example', 'https:***@a.example', 'https:***@a.example'],
    ['//u:pw@a.example/', '//***@a.example/', '//***@a.example/'],
    ['android-app://u:pw@a/', 'android-app://***@a/', 'android-app://***@a/'],
    ['https://a.example/@name?x=a@b', 'https://a.example/@name?x=a@b', 'https://a.example/@name'],
    ['https://@a.example/', 'https://@a.example/', 'https://@a.example/'],
    ['mailto:me@a.example', 'mailto:me@a.example', 'mailto:me@a.example'],
    ['somewhere?token=abc', 'somewhere?token=***', 'somewhere'],
  ])('%j is recorded as %j, and as %j without a query', (url, masked, bare) => {
    expect(maskedUrl(url, full)).toBe(masked);
    expect(urlWithoutQuery(url)).toBe(bare);
  });

  it('keeps the names of its query and of its fragment', () => {
    expect(maskedUrl('https://a.example/?a=1&b#c=2&d', names)).toBe('https://a.example/?a=***&b#c=***&d');
  });
});

/** Letters that secrets are made of here, and nothing else. */
const secret = fc
  .array(fc.constantFrom('§', '§§', '§=', '§;', '§?', '§%26', '§%3D', '§%'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));
const secretName = fc
  .tuple(
    fc.constantFrom('', 'x_', 'x-', 'my.', 'X'),
    fc.constantFrom('token', 'Password', 'API_KEY', 'secret', 'sid', 'Auth', 'access_token', 'jwt', 'otp'),
    fc.infiniteStream(fc.boolean()),
  )
  .map(([prefix, word, isEscaped]) =>
    Array.from(prefix.endsWith('X') ? `${prefix}-${word}` : prefix + word, (character) =>
      isEscaped.next().value ? `%${character.charCodeAt(0).toString(16)}` : character,
    ).join(''),
  );
const openPair = fc
  .tuple(
    fc.constantFrom('a', 'q', 'utm_source', 'keyword', 'x%20y', ''),
    fc.constantFrom('', '1', 'a%20b', 'ü'),
  )
  .map(([name, value]) => `${name}=${value}`);
const secretPair = fc.tuple(secretName, secret).map(([name, value]) => `${name}=${value}`);
const pairs = fc.array(fc.oneof(openPair, secretPair, fc.constantFrom('', 'bare')), { maxLength: 8 });

/** Anything, much of it delimiters. */
const anything = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '&',
        '=',
        ';',
        '?',
        '#',
        '@',
        '%',
        '%26',
        '%3D',
        '%253D',
        '%3F',
        '***',
        'https://',
        '//',
        ':',
      ),
      fc.constantFrom('token', 'a', 'key', 'utm_source', '%74oken'),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

const nameOf = (pair: string) => (pair.includes('=') ? pair.slice(0, pair.indexOf('=')) : pair);
const namesIn = (query: string) => query.split('&').map(nameOf);
const MODES: readonly (readonly [string, MaskedNames])[] = [
  ['secrets', SECRETS],
  ['all names', ALL_NAMES],
];

describe.each(MODES)('masking of %s', (_mode, isMasked) => {
  const mask = (query: string) => maskedQuery(query, isMasked);

  it('leaves nothing of a secret, wherever it is', () => {
    fc.assert(
      fc.property(pairs, (parts) => {
        const query = parts.join('&');
        expect(maskedQuery(query, isMasked)).not.toContain('§');
        expect(maskedQuery(`next=${encodeURIComponent(`/p?${query}`)}`, isMasked)).not.toContain('%C2%A7');
        for (const url of [
          `https://a.example/p?${query}`,
          `https://a.example/#${query}`,
          `x?a#/r?${query}`,
        ]) {
          expect(maskedUrl(url, mask)).not.toContain('§');
          expect(urlWithoutQuery(url)).not.toContain('§');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps all names in their order, and grows by no more than a mask for each of them', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          pairs.map((parts) => parts.join('&')),
        ),
        (query) => {
          const masked = maskedQuery(query, isMasked);
          // A pair without a value may hold an encoded query, whose values are masked.
          const kept = query
            .split('&')
            .map((pair) => (pair.includes('=') ? nameOf(pair) : maskedQuery(pair, isMasked)));
          expect(namesIn(masked)).toEqual(kept);
          expect(masked.length).toBeLessThanOrEqual(query.length + kept.length * MASK.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('changes nothing when it is done twice', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const query = maskedQuery(text, isMasked);
        expect(maskedQuery(query, isMasked)).toBe(query);
        const url = maskedUrl(text, mask);
        expect(maskedUrl(url, mask)).toBe(url);
        expect(urlWithoutQuery(urlWithoutQuery(text))).toBe(urlWithoutQuery(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['&', '=', 'a=', 'a=1&', ';a=1', '%25', '%3D', '%253Da', '?', '#', '@', 'a%26', 'https://', '%'])(
    'takes time linear in %j repeated',
    (part) => {
      const text = part.repeat(400_000 / part.length);
      const startedAtMs = performance.now();
      maskedQuery(text, isMasked);
      maskedQuery(`a${text}`, isMasked);
      maskedUrl(`https://${text}`, mask);
      // Some 50 ms; at this length, squared would be minutes.
      expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    },
  );
});

it('open parameters keep their bytes', () => {
  fc.assert(
    fc.property(fc.array(openPair), (parts) => {
      expect(full(parts.join('&'))).toBe(parts.join('&'));
    }),
  );
});
