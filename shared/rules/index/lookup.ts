import type { RuleCondition } from '../rule-definition.js';
import type { Requirement } from './requirement.js';
import type { Source } from './source.js';

/** A condition that is a lookup of a value. */
export interface Lookup {
  readonly source: Source;
  readonly requirement: Requirement;
}

/** Returns the lookup of a condition; undefined if it needs a test or cannot be compiled. */
export type FindLookup = (condition: RuleCondition) => Lookup | undefined;
