-- When a producer last closed a batch with a match of the rule, or of the path entry that the id stands for. Rows from before
-- say 1970.
ALTER TABLE rule_counters
  ADD COLUMN IF NOT EXISTS seen_at SimpleAggregateFunction(max, DateTime('UTC')) DEFAULT toDateTime(0, 'UTC');
