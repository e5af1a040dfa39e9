-- Totals of a redirect at a producer. They only grow, so the greatest is the newest, and one that arrives twice
-- or late changes nothing.
--
-- `delivered` are the ordinals of the hits that were stored, and stays when they expire. It is written after the hits
-- themselves, as often as it takes: to add an ordinal again changes nothing either. A batch belongs to the block of its
-- first ordinal, for ever, so that a merge has to write a million of them at most.
CREATE TABLE IF NOT EXISTS redirect_counters (
  redirect_id LowCardinality(String),
  producer_id LowCardinality(String),
  block UInt64 DEFAULT intDiv(ordinals[1], 1048576),
  requests SimpleAggregateFunction(max, UInt64),
  recorded SimpleAggregateFunction(max, UInt64),
  dropped SimpleAggregateFunction(max, UInt64),
  ordinals Array(UInt64) EPHEMERAL,
  delivered AggregateFunction(groupBitmap, UInt64) DEFAULT bitmapBuild(ordinals)
)
ENGINE = AggregatingMergeTree
ORDER BY (redirect_id, producer_id, block)
SETTINGS non_replicated_deduplication_window = 10000;
