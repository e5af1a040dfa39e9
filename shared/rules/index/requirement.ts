/** A value that is looked up. */
export type Key = string | number;

/** The values that match (a set, or everything outside a set), and whether a missing value matches. */
export interface Requirement {
  readonly keys: readonly Key[];
  /** Whether values outside `keys` satisfy it instead of those in `keys`. */
  readonly isComplement: boolean;
  readonly allowsMissing: boolean;
}

/** Returns the conjunction of `requirements`, which must not be empty. */
export function allOf(requirements: readonly Requirement[]): Requirement {
  return {
    ...commonKeys(requirements),
    allowsMissing: requirements.every(({ allowsMissing }) => allowsMissing),
  };
}

/** Returns the disjunction of `requirements`, which must not be empty. */
export function anyOf(requirements: readonly Requirement[]): Requirement {
  return opposite(allOf(requirements.map(opposite)));
}

function opposite({ keys, isComplement, allowsMissing }: Requirement): Requirement {
  return { keys, isComplement: !isComplement, allowsMissing: !allowsMissing };
}

function commonKeys(requirements: readonly Requirement[]): Omit<Requirement, 'allowsMissing'> {
  const limits = requirements.filter(({ isComplement }) => !isComplement);
  const [smallest] = limits.toSorted((one, other) => one.keys.length - other.keys.length);
  if (smallest === undefined) {
    return { keys: requirements.flatMap(({ keys }) => keys), isComplement: true };
  }
  const sets = requirements.map(({ keys, isComplement }) => ({ keys: new Set(keys), isComplement }));
  const isCommon = (key: Key) => sets.every(({ keys, isComplement }) => keys.has(key) !== isComplement);
  return { keys: smallest.keys.filter(isCommon), isComplement: false };
}
