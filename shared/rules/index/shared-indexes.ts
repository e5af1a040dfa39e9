import { LRUCache } from 'lru-cache';
import type { RuleDefinition } from '../rule-definition.js';
import type { RuleClauses } from './clause.js';
import {
  type ClauseIndex,
  createClauseIndex,
  createFewClauses,
  fewClausesDimension,
  type IndexedClause,
} from './clause-index.js';
import type { Dimension, DimensionParts } from './dimension.js';
import { nameOfClauses, nameOfDimension, nameOfRules } from './names.js';
import { BITS } from './row-table.js';
import { planOf, type RulePlan } from './rule-plan.js';
import type { Source } from './source.js';

/**
 * Shares one index between all redirects whose rules have the same conditions in the same order, even if their targets
 * differ. Shares common parts between the indexes of other redirects. Rules are often made from templates ("mobile",
 * "in these countries"). An index that ten thousand redirects share stays in the processor's caches; one index per
 * redirect would be fetched from memory for nearly every visitor.
 */
export interface SharedIndexes {
  /**
   * Returns the plan of rules. If it is known, their conditions are not read.
   *
   * @param compile returns the clauses of these rules
   */
  planOf(rules: readonly RuleDefinition[], compile: () => RuleClauses): RulePlan;
}

/**
 * Maximum total length of names, in characters (about four bytes each). It applies separately to plans, to indexes and
 * to the parts that indexes share.
 */
const MAX_NAMES_LENGTH = 2 ** 20;
/** Characters charged per name in addition to its length. */
const LENGTH_PER_NAME = 250;
/**
 * Maximum length of a shared name. Rules with longer names do not share their plan, because other redirects rarely have
 * equal rules. Ten usual rules have 400 characters.
 */
const MAX_NAME_LENGTH = 2 ** 14;

/** An index is used only within one decision, and decisions do not overlap, so redirects can share it. */
export function createSharedIndexes(maxNamesLength = MAX_NAMES_LENGTH): SharedIndexes {
  // An evicted index stays in use by its redirects.
  const byName = <Value extends object>() =>
    new LRUCache<string, Value>({
      maxSize: maxNamesLength,
      sizeCalculation: (_, name) => LENGTH_PER_NAME + name.length,
    });
  const plans = byName<RulePlan>();
  const indexes = byName<ClauseIndex>();
  const dimensions = byName<Dimension>();

  function dimensionOf(parts: DimensionParts): Dimension {
    const name = nameOfDimension(parts);
    const known = dimensions.get(name);
    if (known !== undefined) return known;
    const dimension = fewClausesDimension(parts);
    if (keptLengthOf([parts.source]) <= name.length) dimensions.set(name, dimension);
    return dimension;
  }

  function indexOf(clauses: readonly IndexedClause[]): ClauseIndex {
    // Larger ones are rare, and their names are long.
    if (clauses.length > BITS) return createClauseIndex(clauses);
    const name = nameOfClauses(clauses);
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const index = createFewClauses(clauses, dimensionOf);
    if (keptLengthOf(sourcesOf(clauses)) <= name.length) indexes.set(name, index);
    return index;
  }

  function planOfFew(rules: readonly RuleDefinition[], compile: () => RuleClauses): RulePlan {
    const name = nameOfRules(rules, MAX_NAME_LENGTH);
    if (name === undefined) return planOf(compile(), createClauseIndex);
    const known = plans.get(name);
    if (known !== undefined) return known;
    const compiled = compile();
    const { clauses, areLookedUp } = compiled;
    // Tests belong to one redirect. While a regex waits to be compiled, the clauses also depend on more than the
    // rules.
    if (!areLookedUp || clauses.length > BITS) return planOf(compiled, indexOf);
    const plan = planOf(compiled, () => createFewClauses(clauses, dimensionOf));
    if (keptLengthOf(sourcesOf(clauses)) <= name.length) plans.set(name, plan);
    return plan;
  }

  return {
    planOf: (rules, compile) =>
      rules.length > BITS ? planOf(compile(), createClauseIndex) : planOfFew(rules, compile),
  };
}

function sourcesOf(clauses: readonly IndexedClause[]): ReadonlySet<Source> {
  const sources = new Set<Source>();
  for (const { lookups } of clauses) for (const { source } of lookups) sources.add(source);
  return sources;
}

/**
 * Returns the length of the texts that sources keep. Some of them may not be part of a name, such as those of
 * contradictory conditions. An entry with a small index and the same name must not keep them alive.
 */
function keptLengthOf(sources: Iterable<Source>): number {
  let length = 0;
  for (const { keptLength = 0 } of sources) length += keptLength;
  return length;
}
