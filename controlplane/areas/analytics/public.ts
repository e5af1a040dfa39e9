/** Exports of this area for other areas and the composition root. */

export {
  type AnalyticsRepository,
  asAnswer,
  createAnalyticsRepository,
} from './analytics-repository.js';
export { createAnalytics } from './analytics-routes.js';
export { createAtOnceLimit } from './at-once-limit.js';
export {
  type AttributeValue,
  type AttributeValuesReader,
  createAttributeValuesReader,
  MAX_HITS_WITH_QUERY,
} from './attribute-values.js';
export { eraseHits, extendRetention } from './change-hits.js';
export type { PathEntries } from './path-entries.js';
export { DAY_MS, iso, type Period, parsePeriod, readMoment, startOfDay } from './period.js';
export { percentage } from './ratios.js';
export { createRuleHitsReader, type HitsOfRule, type RuleHits, type RuleHitsReader } from './rule-hits.js';
export { createShownVisitor, type ShownVisitor } from './shown-visitor.js';
export { createUsageReader, type MonthlyUsage, type UsageReading } from './usage.js';
