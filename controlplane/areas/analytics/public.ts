/** Everything that other areas and the composition root may import from this area. */

export { createAnalytics } from './analytics.js';
export { asAnswer } from './analytics-repository.js';
export {
  type AttributeValue,
  type AttributeValuesReader,
  createAttributeValuesReader,
  MAX_HITS_WITH_QUERY,
} from './attribute-values.js';
export { eraseHits } from './erase-hits.js';
export type { PathEntries } from './path-entries.js';
export { readMoment } from './period.js';
export { percentage } from './ratios.js';
export { extendRetention } from './retention.js';
export { createRuleHitsReader, type HitsOfRule, type RuleHits, type RuleHitsReader } from './rule-hits.js';
export { createUsageReader, type MonthlyUsage, type UsageReading } from './usage.js';
