-- Matches of people among `hits`. Rows from before have 0: bots were not told from people then.
ALTER TABLE rule_counters ADD COLUMN IF NOT EXISTS human_hits SimpleAggregateFunction(max, UInt64) DEFAULT 0;
