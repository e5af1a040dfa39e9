-- Totals of a redirect at a producer. They only grow, so the greatest is the newest, and one that arrives twice
-- or late changes nothing.
CREATE TABLE IF NOT EXISTS redirect_counters (
  redirect_id LowCardinality(String),
  producer_id LowCardinality(String),
  requests SimpleAggregateFunction(max, UInt64),
  recorded SimpleAggregateFunction(max, UInt64),
  dropped SimpleAggregateFunction(max, UInt64)
)
ENGINE = AggregatingMergeTree
ORDER BY (redirect_id, producer_id)
SETTINGS non_replicated_deduplication_window = 10000;
