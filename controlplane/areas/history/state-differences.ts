import { isDeepStrictEqual } from 'node:util';
import type { VersionState } from './version-state.js';

/** A difference between two states. `before` or `after` is null if the member at `path` does not exist. */
export interface StateDifference {
  /** `redirect.toDomain`, `rules.12.status`, `rules.12`, `paths.options.unmatched`, `paths.entries.7.destination`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Compares two states member by member. Rules and entries are named by their ids.
 *
 * @param before undefined for the state before a creation
 */
export function differencesOf(before: VersionState | undefined, after: VersionState): StateDifference[] {
  if (before === undefined) return [{ path: 'redirect', before: null, after: after.redirect }];
  return [
    ...membersOf('redirect', before.redirect, after.redirect),
    ...itemsOf('rules', before.rules, after.rules),
    ...membersOf('paths.options', before.paths.options, after.paths.options),
    ...itemsOf('paths.entries', before.paths.entries, after.paths.entries),
  ];
}

function membersOf<State extends object>(path: string, before: State, after: State): StateDifference[] {
  const names = Object.keys(before) as (keyof State & string)[];
  return names.flatMap((name) =>
    before[name] === after[name] || isDeepStrictEqual(before[name], after[name])
      ? []
      : [{ path: `${path}.${name}`, before: before[name], after: after[name] }],
  );
}

function itemsOf<Item extends { readonly id: number }>(
  path: string,
  before: readonly Item[],
  after: readonly Item[],
): StateDifference[] {
  const left = new Map(before.map((item) => [item.id, item]));
  const differences = after.flatMap((item) => {
    const earlier = left.get(item.id);
    left.delete(item.id);
    const place = `${path}.${item.id}`;
    return earlier === undefined
      ? [{ path: place, before: null, after: item }]
      : membersOf(place, earlier, item);
  });
  const removed = Array.from(left.values(), (item) => ({
    path: `${path}.${item.id}`,
    before: item,
    after: null,
  }));
  return [...differences, ...removed];
}
