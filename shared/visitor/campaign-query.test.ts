import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { campaignIn, campaignPart } from './campaign-query.js';

const read = (query: string) => campaignIn(campaignPart(query));

describe('the campaign in a query', () => {
  it('is read from the five parameters', () => {
    expect(read('utm_source=a&utm_medium=b&utm_campaign=c&utm_term=d&utm_content=e&x=1')).toEqual({
      ...{ source: 'a', medium: 'b', campaign: 'c', term: 'd', content: 'e' },
      queryNames: 'utm_campaign&utm_content&utm_medium&utm_source&utm_term&x',
    });
  });

  it.each([
    ['', ''],
    ['x=1', ''],
    ['utm_source', ''],
    ['utm_source=', ''],
    ['utm_source=a&utm_source=b', 'a'],
    ['UTM_SOURCE=a', ''],
    ['utm_source=a=b', 'a=b'],
    ['utm_source=summer+sale%21', 'summer sale!'],
    ['utm_source=a%2526b', 'a%26b'],
    ['utm_source=%C3%BCber', 'über'],
    ['utm_source=50%+off', '50%+off'],
    ['utm_source=%zz+1', '%zz+1'],
    ['utm_source=%C3+1', '%C3+1'],
    ['&&&utm_source=a&&', 'a'],
  ])('%j has the source %j', (query, source) => {
    expect(read(query).source).toBe(source);
  });
});

describe('queries of the same campaign', () => {
  it('are the same, whatever else they say', () => {
    const query = 'id=1&utm_source=a=b&gclid=xyz&flag=';
    expect(campaignPart('id=2&utm_source=a=b&gclid=&flag')).toBe(campaignPart(query));
    expect(read(query)).toMatchObject({
      source: 'a=b',
      queryNames: 'flag&gclid&id&utm_source',
    });
  });

  it.each(['id=1&utm_source=c', 'ad=1&utm_source=a', 'id=1&x=utm_source=a', 'id=utm_source'])(
    'are not: %j',
    (query) => {
      expect(read(query)).not.toEqual(read('id=1&utm_source=a'));
    },
  );
});

describe('the names in a query', () => {
  it.each([
    ['b=1&a=2&b=3', 'a&b'],
    ['flag&%61=1', '%61&flag'],
    ['=1&&', ''],
  ])('of %j are %j', (query, queryNames) => {
    expect(read(query)).toMatchObject({ queryNames });
  });

  it('are at most twenty, the campaign apart', () => {
    const many = Array.from({ length: 100 }, (_, n) => `p${n}=1`).join('&');
    const { queryNames, source } = read(`${many}&utm_source=a&gclid=1`);
    expect(queryNames.split('&')).toHaveLength(21);
    expect(source).toBe('a');
  });

  it('are left out rather than cut', () => {
    expect(read(`${'n'.repeat(300)}=1&b=2`).queryNames).toBe('b');
  });
});

it('whatever the query, nothing is longer than its bound nor ends in half a character', () => {
  const queries = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.string({ unit: 'grapheme', maxLength: 600 }).map((text) => `utm_source=${encodeURIComponent(text)}`),
    fc.string({ maxLength: 40 }).map((text) => `utm_term=${text.repeat(20)}`),
  );
  fc.assert(
    fc.property(queries, (query) => {
      for (const text of Object.values(read(query))) {
        if (typeof text !== 'string') continue;
        expect(text.length).toBeLessThanOrEqual(255);
        expect(Buffer.from(text).toString()).toBe(text);
      }
    }),
  );
});

it('a value is cut between characters', () => {
  expect(read(`utm_source=${'x'.repeat(254)}${encodeURIComponent('😀')}`).source).toBe('x'.repeat(254));
});

it('the part of a query with its campaign has the same campaign', () => {
  const pairs = fc.array(
    fc.tuple(
      fc.constantFrom('utm_source', 'utm_term', 'id', '', 'a=b', '%'),
      fc.constantFrom('', '=', '=1', '=a=b', '=utm_'),
    ),
  );
  fc.assert(
    fc.property(pairs, (chosen) => {
      const query = chosen.map((pair) => pair.join('')).join('&');
      const part = campaignPart(query);
      expect(campaignIn(part)).toEqual(campaignIn(query));
    }),
  );
});
