import { AppError } from '../../errors/app-error.js';
import { MAX_PRIORITY } from './rule-schema.js';

/** A rule's place in the list of its redirect. */
export interface RulePlace {
  readonly id: number;
  readonly priority: number;
}

/**
 * Returns the numbers to change for a new rule with `priority`; undefined means after the last rule. If the number is
 * taken, the rules that follow it without a gap move back by one.
 *
 * @param places in order
 */
export function placesForNew(
  places: readonly RulePlace[],
  priority: number | undefined,
): { readonly priority: number; readonly moved: readonly RulePlace[] } {
  const wanted = priority ?? (places.at(-1)?.priority ?? 0) + 1;
  const moved: RulePlace[] = [];
  for (const place of places) {
    if (place.priority === wanted + moved.length) moved.push({ id: place.id, priority: place.priority + 1 });
  }
  if (Math.max(wanted, moved.at(-1)?.priority ?? 0) <= MAX_PRIORITY) return { priority: wanted, moved };
  // Gaps are allowed; only the order matters.
  const before = places.filter((place) => place.priority < wanted).map(({ id }) => id);
  const after = places.slice(before.length).map(({ id }) => id);
  return {
    priority: before.length + 1,
    moved: [...placesInOrder(before), ...placesInOrder(after, before.length + 2)],
  };
}

/**
 * Returns the numbers to change so that a rule gets `priority`. A free number needs no other change. If the number is
 * taken, the rule moves to that position in the list. The set of numbers stays, and the rules in between move by one
 * position.
 *
 * @param places in order, including the rule
 */
export function placesAfterMove(
  places: readonly RulePlace[],
  id: number,
  priority: number,
): readonly RulePlace[] {
  const target = places.findIndex((place) => place.priority === priority);
  if (target === -1) return [{ id, priority }];
  const order = places.map((place) => place.id).filter((other) => other !== id);
  order.splice(target, 0, id);
  return places
    .map((place, index) => ({ id: order[index] ?? place.id, priority: place.priority }))
    .filter((place, index) => place.id !== places[index]?.id);
}

/**
 * Returns the priorities that change when a rule is deleted. Numbers 1…n stay without gaps; numbers with gaps do not
 * change.
 *
 * @param places in order, including the rule
 */
export function placesAfterDelete(places: readonly RulePlace[], id: number): readonly RulePlace[] {
  const dense = places.every((place, index) => place.priority === index + 1);
  if (!dense) return [];
  const index = places.findIndex((place) => place.id === id);
  return placesInOrder(
    places.slice(index + 1).map((place) => place.id),
    index + 1,
  );
}

/** Returns priorities for rules in this order, without gaps. */
export function placesInOrder(ids: readonly number[], first = 1): RulePlace[] {
  return ids.map((id, index) => ({ id, priority: first + index }));
}

/**
 * Returns the priorities of a whole list of rules. A rule without a number follows the rule before it in the list. A number
 * that is taken becomes the next free one.
 */
export function prioritiesOfAll(wanted: readonly (number | undefined)[]): number[] {
  let before = -1;
  const places = wanted.map((priority, index) => {
    before = priority ?? before;
    return { index, priority, after: before };
  });
  // Equal places stay in the order of the list.
  places.sort((a, b) => a.after - b.after || a.index - b.index);
  let last = -1;
  const numbered = places.map(({ index, priority }) => {
    last = priority === undefined ? Math.max(last, 0) + 1 : Math.max(priority, last + 1);
    return { index, priority: last };
  });
  // Gaps are allowed; only the order matters.
  const isTooLong = last > MAX_PRIORITY;
  const priorities = new Array<number>(wanted.length).fill(0);
  for (const [at, { index, priority }] of numbered.entries()) {
    priorities[index] = isTooLong ? at + 1 : priority;
  }
  return priorities;
}

const MAX_LISTED = 10;

/** @throws {AppError} VALIDATION_ERROR unless `ruleIds` has each of these rules exactly once */
export function requireSameRules(places: readonly RulePlace[], ruleIds: readonly number[]): void {
  const given = new Set<number>();
  const repeated = new Set<number>();
  for (const id of ruleIds) (given.has(id) ? repeated : given).add(id);
  const known = new Set(places.map(({ id }) => id));
  const faults = [
    ['unknown', [...given].filter((id) => !known.has(id))],
    ['repeated', [...repeated]],
    ['missing', [...known].filter((id) => !given.has(id))],
  ] as const;
  const found = faults.filter(([, ids]) => ids.length > 0).map(([what, ids]) => `${what}: ${listed(ids)}`);
  if (found.length === 0) return;
  throw new AppError('VALIDATION_ERROR', {
    field: 'ruleIds',
    message: `ruleIds must be the ids of all rules of the redirect, each once; ${found.join('; ')}.`,
  });
}

function listed(ids: readonly number[]): string {
  const shown = ids.slice(0, MAX_LISTED).join(', ');
  return ids.length > MAX_LISTED ? `${shown} and ${ids.length - MAX_LISTED} more` : shown;
}
