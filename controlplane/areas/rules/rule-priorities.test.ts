import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  placesAfterDelete,
  placesAfterMove,
  placesForNew,
  placesInOrder,
  type RulePlace,
} from './rule-priorities.js';
import { MAX_PRIORITY } from './rule-schema.js';

/** Rules with the ids 101, 102, … in this order. */
const listOf = (...priorities: readonly number[]): RulePlace[] =>
  priorities.map((priority, index) => ({ id: 101 + index, priority }));

/** Returns the list after the changes, as ids and numbers in order. */
function applied(places: readonly RulePlace[], changes: readonly RulePlace[]): [number, number][] {
  const priorityOf = new Map(places.map(({ id, priority }) => [id, priority]));
  for (const { id, priority } of changes) priorityOf.set(id, priority);
  return [...priorityOf].sort(([, one], [, other]) => one - other);
}

/** Adds a rule with the id 1. */
function added(places: readonly RulePlace[], wanted: number | undefined): [number, number][] {
  const { priority, moved } = placesForNew(places, wanted);
  return applied([...places, { id: 1, priority }], moved);
}

describe('a new rule', () => {
  const cases: readonly [string, number[], number | undefined, [number, number][]][] = [
    ['is the first of an empty list', [], undefined, [[1, 1]]],
    [
      'comes after the last',
      [1, 7],
      undefined,
      [
        [101, 1],
        [102, 7],
        [1, 8],
      ],
    ],
    [
      'takes a free number as it is',
      [1, 7],
      4,
      [
        [101, 1],
        [1, 4],
        [102, 7],
      ],
    ],
    [
      'goes before the rule whose number it takes',
      [1, 2],
      1,
      [
        [1, 1],
        [101, 2],
        [102, 3],
      ],
    ],
    [
      'moves only rules up to the next gap',
      [1, 2, 3, 9],
      2,
      [
        [101, 1],
        [1, 2],
        [102, 3],
        [103, 4],
        [104, 9],
      ],
    ],
    [
      'goes before the first with the lowest number',
      [1, 2],
      0,
      [
        [1, 0],
        [101, 1],
        [102, 2],
      ],
    ],
    [
      'goes before the one that has the lowest number',
      [0, 1],
      0,
      [
        [1, 0],
        [101, 1],
        [102, 2],
      ],
    ],
    [
      'comes after the only one, which has the lowest number',
      [0],
      undefined,
      [
        [101, 0],
        [1, 1],
      ],
    ],
    [
      'takes the highest number',
      [1],
      MAX_PRIORITY,
      [
        [101, 1],
        [1, MAX_PRIORITY],
      ],
    ],
    [
      'has a place after the highest number',
      [5, MAX_PRIORITY],
      undefined,
      [
        [101, 1],
        [102, 2],
        [1, 3],
      ],
    ],
    [
      'has a place before the highest number',
      [5, MAX_PRIORITY],
      MAX_PRIORITY,
      [
        [101, 1],
        [1, 2],
        [102, 3],
      ],
    ],
  ];
  test.each(cases)('%s', (_what, priorities, wanted, expected) => {
    expect(added(listOf(...priorities), wanted)).toEqual(expected);
  });
});

describe('a rule that moves', () => {
  const cases: readonly [string, number[], number, number, [number, number][]][] = [
    [
      'to a free number takes it',
      [1, 2, 3],
      101,
      9,
      [
        [102, 2],
        [103, 3],
        [101, 9],
      ],
    ],
    [
      'forward goes where the other was',
      [1, 2, 3, 4],
      104,
      2,
      [
        [101, 1],
        [104, 2],
        [102, 3],
        [103, 4],
      ],
    ],
    [
      'backward goes where the other was',
      [1, 2, 3, 4],
      101,
      3,
      [
        [102, 1],
        [103, 2],
        [101, 3],
        [104, 4],
      ],
    ],
    [
      'keeps the numbers of the list',
      [10, 20, 30],
      103,
      10,
      [
        [103, 10],
        [101, 20],
        [102, 30],
      ],
    ],
    [
      'to its own number stays',
      [10, 20],
      101,
      10,
      [
        [101, 10],
        [102, 20],
      ],
    ],
  ];
  test.each(cases)('%s', (_what, priorities, id, priority, expected) => {
    const places = listOf(...priorities);
    expect(applied(places, placesAfterMove(places, id, priority))).toEqual(expected);
  });
});

describe('a rule that goes', () => {
  const cases: readonly [string, number[], number, RulePlace[]][] = [
    [
      'closes the gap in numbers without gaps',
      [1, 2, 3],
      101,
      [
        { id: 102, priority: 1 },
        { id: 103, priority: 2 },
      ],
    ],
    ['from the end changes nothing', [1, 2, 3], 103, []],
    ['leaves numbers with gaps as they are', [1, 2, 4], 101, []],
    ['leaves numbers that do not begin with 1 as they are', [2, 3], 102, []],
    ['leaves numbers that begin with 0 as they are', [0, 1], 101, []],
  ];
  test.each(cases)('%s', (_what, priorities, id, expected) => {
    expect(placesAfterDelete(listOf(...priorities), id)).toEqual(expected);
  });
});

describe('whatever is done in whatever order', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'move', 'delete', 'reorder'),
    priority: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
    pick: fc.nat(),
  });

  test('numbers are distinct and in bounds, and nobody else changes places', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let nextId = 1;
        let places: RulePlace[] = [];
        for (const { what, priority, pick } of steps) {
          const id = places[pick % Math.max(places.length, 1)]?.id;
          const before = places.map((place) => place.id);
          let changes: readonly RulePlace[] = [];
          let apart = id;
          if (what === 'add' || id === undefined) {
            apart = nextId++;
            const added = placesForNew(places, priority);
            changes = added.moved;
            places = [...places, { id: apart, priority: added.priority }];
          } else if (what === 'delete') {
            changes = placesAfterDelete(places, id);
            places = places.filter((place) => place.id !== id);
          } else if (what === 'move') {
            changes = placesAfterMove(places, id, priority ?? 1);
          } else {
            changes = placesInOrder(before);
          }
          places = applied(places, changes).map(([ruleId, number]) => ({ id: ruleId, priority: number }));

          const numbers = places.map((place) => place.priority);
          expect(new Set(numbers).size).toBe(numbers.length);
          expect(Math.min(...numbers, 0)).toBe(0);
          const others = (ids: readonly number[]) => ids.filter((other) => other !== apart);
          expect(others(places.map((place) => place.id))).toEqual(others(before));
        }
      }),
    );
  });
});
