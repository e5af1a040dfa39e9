import {
  MAX_CONDITION_TEXT_PER_MATCH,
  MAX_CONDITIONS_PER_MATCH,
  MAX_CONDITIONS_PER_SOURCE,
  type PathEntry,
  type PathOptions,
} from './path-entry.js';
import type { PathShape } from './path-key.js';
import { ENTRIES_PER_STEP, type PreparedEntry, prepareEntry } from './publish-table.js';
import { NO_CONDITIONS } from './query-conditions.js';

interface Cost {
  entries: number;
  characters: number;
}

const ADVICE = 'Use a rule on query_param, or {query.name} in the destination.';

/**
 * Adds up what the conditions of a table cost one visitor: each arrangement of placeholders leads to one source, whose entries
 * are all compared with the query.
 */
export class ConditionCosts {
  private readonly bySource = new Map<string, Cost>();
  /** The most of one source, by arrangement. */
  private readonly byShape = new Map<PathShape, Cost>();
  private readonly total: Cost = { entries: 0, characters: 0 };

  /** Adds an entry. Returns the reason for refusing it; undefined when it is accepted. */
  add({ published: { key, conditions }, shape }: PreparedEntry, source: string): string | undefined {
    if (conditions === NO_CONDITIONS) return undefined;
    const cost = costOf(this.bySource, key);
    cost.entries += 1;
    cost.characters += conditions.length;
    if (cost.entries > MAX_CONDITIONS_PER_SOURCE) {
      return `${source} has more than ${MAX_CONDITIONS_PER_SOURCE} entries with different query conditions. ${ADVICE}`;
    }
    return this.raise(shape, cost);
  }

  private raise(shape: PathShape, cost: Readonly<Cost>): string | undefined {
    const most = costOf(this.byShape, shape);
    this.total.entries += Math.max(0, cost.entries - most.entries);
    this.total.characters += Math.max(0, cost.characters - most.characters);
    most.entries = Math.max(most.entries, cost.entries);
    most.characters = Math.max(most.characters, cost.characters);
    if (this.total.entries > MAX_CONDITIONS_PER_MATCH) {
      return `One path could match more than ${MAX_CONDITIONS_PER_MATCH} entries with query conditions. Use fewer arrangements of ":name" and "*" with conditions. ${ADVICE}`;
    }
    if (this.total.characters > MAX_CONDITION_TEXT_PER_MATCH) {
      return `The query conditions that one path can meet have more than ${MAX_CONDITION_TEXT_PER_MATCH} characters. Use shorter or fewer conditions. ${ADVICE}`;
    }
    return undefined;
  }
}

function costOf<Name>(costs: Map<Name, Cost>, name: Name): Cost {
  let cost = costs.get(name);
  if (cost === undefined) {
    cost = { entries: 0, characters: 0 };
    costs.set(name, cost);
  }
  return cost;
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
