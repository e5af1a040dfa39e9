/** Exports of this area for other areas and the composition root. */

export { parseNewRule } from './parse-rule.js';
export type { Rule } from './rule.js';
export { ruleState } from './rule-history.js';
export {
  type GivenRule,
  mayCloseLoops,
  type ReplacedRules,
  type RuleReplacement,
  type WholeRule,
} from './rule-replacement.js';
export { ruleRepository } from './rule-repository.js';
export { CreateRuleSchema, WholeRuleSchema } from './rule-schema.js';
export { requireRule } from './rule-service.js';
export { MAX_BYTES_OF_REDIRECT, requireBoundedRules } from './rule-size.js';
export {
  type RuleTestAnswer,
  RuleTestAnswerSchema,
  type RuleTestRequest,
  RuleTestSchema,
  type UserAttributes,
  UserAttributesSchema,
} from './rule-test-schema.js';
export {
  createTestedVisitor,
  createVisitorInsight,
  readAddress,
  type VisitorInsight,
} from './rule-test-visitor.js';
export { createRules, type Rules } from './rules.js';
