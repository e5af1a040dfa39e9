import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOf, anyOf, type Key, type Requirement } from './requirement.js';

const VALUES: readonly Key[] = ['', 'a', 'b', 'c', 'A', '1', 1, 2];

const requirement: fc.Arbitrary<Requirement> = fc.record({
  keys: fc.subarray([...VALUES.slice(1)]),
  isComplement: fc.boolean(),
  allowsMissing: fc.boolean(),
});

function isSatisfied({ keys, isComplement, allowsMissing }: Requirement, value: Key | undefined): boolean {
  return value === undefined ? allowsMissing : keys.includes(value) !== isComplement;
}

describe('requirements', () => {
  it.each([
    { name: 'all', join: allOf, expected: (each: boolean[]) => each.every(Boolean) },
    { name: 'any', join: anyOf, expected: (each: boolean[]) => each.some(Boolean) },
  ])('joined by "$name" are satisfied by a value when $name of them are', ({ join, expected }) => {
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 1, maxLength: 5 }), (requirements) => {
        const joined = join(requirements);
        for (const value of [...VALUES, undefined]) {
          const each = requirements.map((one) => isSatisfied(one, value));
          expect(isSatisfied(joined, value)).toBe(expected(each));
        }
      }),
    );
  });
});
