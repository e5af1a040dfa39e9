import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { entityTag, ifMatch } from './entity-tags.js';

const requestWith = (header: string | undefined) =>
  ({ headers: { 'if-match': header } }) as unknown as FastifyRequest;

describe('If-Match', () => {
  it.each<[string, number, boolean]>([
    ['"3-abc"', 3, true],
    ['"3"', 3, true],
    ['W/"3-abc"', 3, true],
    [' "1-a" ,"3-abc" ', 3, true],
    ['"3-abc"', 4, false],
    ['"33-abc"', 3, false],
    ['""', 3, false],
  ])('%s at version %i: %s', (header, version, holds) => {
    expect(ifMatch(requestWith(header))?.(version)).toBe(holds);
  });

  it('requires nothing when it is absent or *', () => {
    expect(ifMatch(requestWith(undefined))).toBeUndefined();
    expect(ifMatch(requestWith(' * '))).toBeUndefined();
  });

  it.each(['3', '"3', '"a" "b"', '"a",', '*, "a"', '"a\u0001"', ''])('%j is refused', (header) => {
    expect(() => ifMatch(requestWith(header))).toThrow('If-Match must be *');
  });
});

it('the tag of a representation changes with the version and with the body', () => {
  const tags = [
    entityTag(1, { a: 1 }),
    entityTag(2, { a: 1 }),
    entityTag(1, { a: 2 }),
    entityTag(1, { a: 1 }),
  ];
  expect(new Set(tags).size).toBe(3);
  expect(tags[0]).toMatch(/^"1-[\w-]{12}"$/);
});
