import { describe, expect, it } from 'vitest';
import { EditConflict, mergedInto, placeOf } from './merged-item';

interface Item {
  readonly id?: number;
  readonly name: string;
  readonly url?: string;
}

const A: Item = { id: 1, name: 'a', url: '/a' };
const B: Item = { name: 'b', url: '/b' };
const C: Item = { name: 'c' };

describe('a concurrent change of a list', () => {
  it.each<[string, readonly Item[], Item, number, number]>([
    ['by its id, wherever it is now', [B, { ...A, name: 'other' }], A, 0, 1],
    ['by equality where it has no id', [C, A, B], B, 0, 2],
    ['by its place where somebody has changed it', [A, { ...B, url: '/other' }], B, 1, 1],
    ['nowhere where its id is gone', [B, C], A, 0, -1],
    ['nowhere where an item with an id has its place', [A], B, 0, -1],
  ])('finds the item %s', (_, list, item, former, place) => {
    expect(placeOf(list, item, former)).toBe(place);
  });

  it('keeps changes by others to other members and other items', () => {
    const list = [B, { ...A, name: 'renamed' }];
    expect(mergedInto(list, { base: A, former: 0, changed: { url: '/mine' } }, '')).toEqual([
      B,
      { id: 1, name: 'renamed', url: '/mine' },
    ]);
  });

  it('is not a conflict if others have made the same change', () => {
    const list = [{ ...A, url: '/mine' }];
    expect(mergedInto(list, { base: A, former: 0, changed: { url: '/mine' } }, '')).toEqual(list);
  });

  const conflictOf = (list: readonly Item[], base: Item, changed: Partial<Item>) => {
    try {
      mergedInto(list, { base, former: 0, changed }, 'not saved');
    } catch (error) {
      if (error instanceof EditConflict) return error;
    }
    throw new Error('there was no conflict');
  };

  it('overwrites nothing on a conflict, and reports the changes by others', () => {
    const theirs = { ...A, name: 'renamed', url: '/theirs' };
    const conflict = conflictOf([theirs], A, { url: '/mine' });
    expect(conflict).toMatchObject({ message: 'not saved', theirs });
    expect(conflict.differences).toEqual([
      { path: 'name', before: 'a', after: 'renamed' },
      { path: 'url', before: '/a', after: '/theirs' },
    ]);
  });

  it('is a conflict if the item was removed', () => {
    expect(conflictOf([B], A, { url: '/mine' })).toMatchObject({
      theirs: undefined,
      differences: [{ before: A, after: null }],
    });
  });
});
