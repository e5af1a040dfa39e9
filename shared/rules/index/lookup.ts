import type { RuleCondition } from '../rule-definition.js';
import type { Requirement } from './requirement.js';
import type { Source } from './source.js';

/** A condition that comes down to looking something up. */
export interface Lookup {
  readonly source: Source;
  readonly requirement: Requirement;
}

/** The lookup that a condition comes down to; undefined when it has to be tested, or cannot be compiled. */
export type FindLookup = (condition: RuleCondition) => Lookup | undefined;
