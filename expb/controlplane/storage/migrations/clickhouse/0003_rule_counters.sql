-- Decisions of a rule at a producer, by variant. They only grow, as those of redirects do.
CREATE TABLE IF NOT EXISTS rule_counters (
  redirect_id LowCardinality(String),
  rule_id UInt64,
  variant LowCardinality(String),
  producer_id LowCardinality(String),
  hits SimpleAggregateFunction(max, UInt64)
)
ENGINE = AggregatingMergeTree
ORDER BY (redirect_id, rule_id, variant, producer_id)
SETTINGS non_replicated_deduplication_window = 10000;
