import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryValues } from './query-values.js';

describe('the values of a query parameter', () => {
  it.each([
    ['', 'a', []],
    ['a=1', 'a', ['1']],
    ['a=1&b=2&a=3', 'a', ['1', '3']],
    ['a=1', 'A', []],
    ['ab=1&xa=2', 'a', []],
    ['a', 'a', ['']],
    ['a=', 'a', ['']],
    ['a&a=', 'a', ['', '']],
    ['a=b=c', 'a', ['b=c']],
    ['&&a=1&&', 'a', ['1']],
    ['&', '', []],
    ['=1', '', ['1']],
    ['b&a=1', 'a', ['1']],
    ['a;b=1', 'a', []],
    ['?a=1', 'a', []],
    ['?a=1', '?a', ['1']],
    ['a=1+2', 'a', ['1 2']],
    ['a=1%2B2', 'a', ['1+2']],
    ['a=%26%3D%25', 'a', ['&=%']],
    ['a=100%', 'a', ['100%']],
    ['a=%4', 'a', ['%4']],
    ['a=%zz%41', 'a', ['%zzA']],
    ['a=%C3%BC', 'a', ['ü']],
    ['a=ü', 'a', ['ü']],
    ['a=%FF', 'a', ['\ufffd']],
    ['a=%E2%82', 'a', ['\ufffd']],
    ['a=%F0%9F%98%80', 'a', ['😀']],
    ['a=%EF%BB%BFx', 'a', ['\ufeffx']],
    ['a=%00', 'a', ['\0']],
    ['%61=1', 'a', ['1']],
    ['my+name=1&my%20name=2', 'my name', ['1', '2']],
    ['%E2%82%AC=1&€=2', '€', ['1', '2']],
    ['a+b=1', 'a+b', []],
    ['a%2Bb=1', 'a+b', ['1']],
    ['%zz=1', '%zz', ['1']],
    ['%61=1', '%61', []],
    ['100%=1', '100%', ['1']],
  ])('of %j named %j are %j', (query, param, values) => {
    expect(queryValues(query, param)).toEqual(values);
  });

  const fragment = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      '%61',
      '+',
      '%20',
      '=',
      '&',
      '%',
      '%4',
      '%E2%82',
      '%AC',
      '%FF',
      '€',
      '?',
      '%26',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const text = fc.array(fragment, { maxLength: 20 }).map((fragments) => fragments.join(''));
  const param = fc.oneof(fc.constantFrom('', 'a', 'b', 'ab', 'a b', '€', '%', '%4', '\ufffd', '?a'), text);

  it('are those of URLSearchParams', () => {
    fc.assert(
      fc.property(text, param, (query, name) => {
        // The question mark is the one that URLSearchParams drops.
        expect(queryValues(query, name)).toEqual(new URLSearchParams(`?${query}`).getAll(name));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['10,000 parameters', 'a=1&'.repeat(10_000), 10_000],
    ['a million empty ones', '&'.repeat(1_000_000), 0],
    ['a million equals signs', '='.repeat(1_000_000), 0],
    ['half a million without a value', 'b&'.repeat(500_000), 0],
    ['100,000 that are encoded', '%62&'.repeat(100_000), 0],
    ['one name of a million characters', '%61'.repeat(333_333), 0],
  ])('are found in time that grows only with the query: %s', (_name, query, count) => {
    const start = performance.now();
    expect(queryValues(query, 'a')).toHaveLength(count);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
