/** Everything that other areas and the composition root may import from this area. */
export { ruleRepository } from './rule-repository.js';
export { createRules } from './rules.js';
