-- Conversions that owners post. Rows with the same id are one conversion: read them with FINAL.
CREATE TABLE IF NOT EXISTS conversions (
  redirect_id LowCardinality(String),
  rule_id UInt64,
  id String,
  goal LowCardinality(String),
  -- As in hits.
  visitor UInt64,
  at DateTime64(3, 'UTC'),
  -- Revenue; 0 without.
  value Float64,
  has_value UInt8,
  -- Days that the plan keeps it; 0 is for ever, as in hits.
  retention_days UInt16
)
ENGINE = ReplacingMergeTree
ORDER BY (redirect_id, rule_id, id)
TTL toDateTime(at, 'UTC') + toIntervalDay(retention_days) DELETE WHERE retention_days BETWEEN 1 AND 9999
SETTINGS non_replicated_deduplication_window = 1000;
