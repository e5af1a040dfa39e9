import type { Schemas } from '@waymark/client';

/** Error for a member that both the form and another user have changed. Nothing is written. */
export class EditConflict<T> extends Error {
  /**
   * @param theirs current item; undefined if another user removed it
   * @param differences changes by others since the form was opened
   */
  constructor(
    message: string,
    readonly theirs: T | undefined,
    readonly differences: readonly Schemas.StateDifference[],
  ) {
    super(message);
  }
}

const idOf = (item: object) => ('id' in item && typeof item.id === 'number' ? item.id : undefined);

/**
 * Returns the index of an item in a list that others may have changed. Looks for the same id, then for an equal item,
 * then for an item at its former index. Returns -1 if the item was removed.
 */
export function placeOf<T extends object>(list: readonly T[], item: T, former: number): number {
  const id = idOf(item);
  if (id !== undefined) return list.findIndex((other) => idOf(other) === id);
  const equal = list.findIndex((other) => isEqual(other, item));
  if (equal !== -1) return equal;
  const there = list[former];
  return there !== undefined && idOf(there) === undefined ? former : -1;
}

/**
 * Merges the members that a form has changed into an item of a list. Keeps changes by others to other members.
 *
 * @param base the item when the form was opened
 * @throws {EditConflict} if others have set the same members to different values, or removed the item
 */
export function mergedInto<T extends object>(
  list: readonly T[],
  { base, former, changed }: { readonly base: T; readonly former: number; readonly changed: Partial<T> },
  message: string,
): readonly T[] {
  const place = placeOf(list, base, former);
  const theirs = list[place];
  if (theirs === undefined) {
    throw new EditConflict<T>(message, undefined, [{ path: '', before: base, after: null }]);
  }
  const names = [...new Set([...Object.keys(base), ...Object.keys(theirs)])] as (keyof T & string)[];
  const different = names.filter((name) => !isEqual(base[name], theirs[name]));
  const isContested = different.some((name) => name in changed && !isEqual(changed[name], theirs[name]));
  if (isContested) {
    const differences = different.map((name) => ({
      path: name,
      before: base[name] ?? null,
      after: theirs[name] ?? null,
    }));
    throw new EditConflict(message, theirs, differences);
  }
  return [...list.slice(0, place), { ...theirs, ...changed }, ...list.slice(place + 1)];
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
