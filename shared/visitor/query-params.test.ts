import { describe, expect, it } from 'vitest';
import { QueryParams } from './query-params.js';
import { queryValues } from './query-values.js';

const QUERY = '?a=1&a=2&A=3&%61=+4&b&c=&=x&d=%FF&%zz=5&a=1&e=ü';
const NAMES = ['?a', 'a', 'A', 'b', 'c', '', 'd', '%zz', 'e', 'f', '%61', '__proto__'];

describe('the parameters of a query', () => {
  it('are the same whichever is asked for first, and each time', () => {
    for (const start of NAMES.keys()) {
      const params = new QueryParams();
      const names = [...NAMES.slice(start), ...NAMES.slice(0, start), ...NAMES];
      for (const name of names) expect(params.values(QUERY, name)).toEqual(queryValues(QUERY, name));
    }
  });

  it('are worked out once', () => {
    const params = new QueryParams();
    for (const name of ['a', 'f']) expect(params.values(QUERY, name)).toBe(params.values(QUERY, name));
  });

  it.each([1, NAMES.length])('are those of the next query after %i of the last were asked for', (asked) => {
    const params = new QueryParams();
    for (const name of NAMES.slice(0, asked)) params.values(QUERY, name);
    params.forget();
    for (const name of NAMES) expect(params.values('c=7', name)).toEqual(name === 'c' ? ['7'] : []);
  });
});
