import {
  MAX_CONDITION_TEXT_PER_MATCH,
  MAX_CONDITIONS_PER_MATCH,
  MAX_CONDITIONS_PER_SOURCE,
  type PathEntry,
  type PathOptions,
} from './path-entry.js';
import type { PathShape } from './path-key.js';
import { ENTRIES_PER_STEP, type PreparedEntry, prepareEntry } from './publish-table.js';
import { hasQueryConditions } from './query-conditions.js';

interface Cost {
  readonly entries: number;
  readonly characters: number;
}

const NOTHING: Cost = { entries: 0, characters: 0 };

const ADVICE = 'Use a rule on query_param, or {query.name} in the destination.';

/**
 * Sums the cost of a table's conditions for one visitor. Each arrangement of placeholders can match one source, and all
 * entries of that source are compared with the query.
 */
export class ConditionCosts {
  private readonly bySource = new Map<string, Cost>();
  /** Highest cost of a source, by arrangement. */
  private readonly byShape = new Map<PathShape, Cost>();
  private total: Cost = NOTHING;

  /**
   * Adds an entry. Returns the reason for refusing it, or undefined if it is accepted. A refused entry adds no cost.
   */
  add({ published: { key, conditions }, shape }: PreparedEntry, source: string): string | undefined {
    if (!hasQueryConditions(conditions)) return undefined;
    const before = this.bySource.get(key) ?? NOTHING;
    const cost = { entries: before.entries + 1, characters: before.characters + conditions.length };
    if (cost.entries > MAX_CONDITIONS_PER_SOURCE) {
      return `${source} has more than ${MAX_CONDITIONS_PER_SOURCE} entries with different query conditions. ${ADVICE}`;
    }
    const problem = this.raise(shape, cost);
    if (problem === undefined) this.bySource.set(key, cost);
    return problem;
  }

  private raise(shape: PathShape, cost: Cost): string | undefined {
    const before = this.byShape.get(shape) ?? NOTHING;
    const most = {
      entries: Math.max(before.entries, cost.entries),
      characters: Math.max(before.characters, cost.characters),
    };
    const total = {
      entries: this.total.entries + most.entries - before.entries,
      characters: this.total.characters + most.characters - before.characters,
    };
    if (total.entries > MAX_CONDITIONS_PER_MATCH) {
      return `One path could match more than ${MAX_CONDITIONS_PER_MATCH} entries with query conditions. Use fewer arrangements of ":name" and "*" with conditions. ${ADVICE}`;
    }
    if (total.characters > MAX_CONDITION_TEXT_PER_MATCH) {
      return `The query conditions that one path can meet have more than ${MAX_CONDITION_TEXT_PER_MATCH} characters. Use shorter or fewer conditions. ${ADVICE}`;
    }
    this.byShape.set(shape, most);
    this.total = total;
    return undefined;
  }
}

/** Returns the reason for refusing the conditions of enabled entries of a table; undefined when they are accepted. */
export function* conditionProblem(
  entries: readonly PathEntry[],
  options: PathOptions,
  host: string,
): Generator<undefined, string | undefined> {
  const costs = new ConditionCosts();
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const prepared = prepareEntry(entry, options, { host });
    const problem = 'field' in prepared ? undefined : costs.add(prepared, entry.source);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
