import { expect, it } from 'vitest';
import { comparablePath } from './comparable-path.js';

it.each([
  ['/plain/Path', '/plain/Path'],
  ['/é', '/%C3%A9'],
  ['/%c3%a9', '/%C3%A9'],
  ['/%C3%a9', '/%C3%A9'],
  ['/%41/%2f', '/%41/%2F'],
  ['/%ce', '/%CE'],
  ['/%c', '/%C'],
  ['/%zz/%/abc', '/%zz/%/abc'],
  ['/100%abc', '/100%ABc'],
])('%s compares as %s', (path, comparable) => {
  expect(comparablePath(path)).toBe(comparable);
  expect(comparablePath(comparable)).toBe(comparable);
});
